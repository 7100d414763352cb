import { createStore, useStore } from '../app/store.ts';

/** What is open above the page. */
export const overlay = createStore<'commands' | 'shortcuts' | undefined>(undefined);

export const useOverlay = () => useStore(overlay);
