import { mount } from 'svelte';
import Gallery from './Gallery.svelte';
import '../src/app.css';
import { preferred, setLanguage, speak } from '../src/lib/i18n/index.svelte';
await setLanguage(preferred());
await speak('common', 'board');
mount(Gallery, { target: document.getElementById('app')! });
