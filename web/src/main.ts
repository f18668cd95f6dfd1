import { mount } from 'svelte';
import App from './App.svelte';
import './app.css';
import { preferred, setLanguage, speak } from './lib/i18n/index.svelte';

await setLanguage(preferred());
await speak('common');

const target = document.getElementById('app');
if (target) mount(App, { target });
