import { createStore } from '../app/store.ts';

/** How many dialogs are open. */
export const openDialogs = createStore(0);
