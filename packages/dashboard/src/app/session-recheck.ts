import { createStore } from './store.ts';

/** Counts the signs that the session differs from what this tab shows, since another tab may have changed it [dashboard.30]. */
export const sessionRechecks = createStore(0);

export function recheckSession(): void {
  sessionRechecks.set(sessionRechecks.get() + 1);
}
