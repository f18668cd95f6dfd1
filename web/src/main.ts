import { mount } from 'svelte';
import App from './App.svelte';
import './app.css';
import { hasTab } from './lib/net/edition';
import { preferred, setLanguage, speak } from './lib/i18n/index.svelte';
import { router } from './lib/router.svelte';
import { stayOffline } from './lib/tab/offline.svelte';
import { match } from './routes';

// Fetch the screen and the texts at the same time. App.svelte reports a screen that fails to load.
const screen = match(router.path);
screen.load().catch(() => undefined);
await setLanguage(preferred());
await speak('common', ...screen.areas, ...(hasTab ? ['tab'] : []));

const target = document.getElementById('app');
if (target) mount(App, { target });
if (hasTab) void stayOffline();
