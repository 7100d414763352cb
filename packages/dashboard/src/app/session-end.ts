import { createStore } from './store.ts';

/** Whether the session ended while its page is open: the page stays, and asks to sign in again above it. */
export const sessionEnd = createStore(false);
