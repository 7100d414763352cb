import { createStore } from './store.ts';

/** Counts the reasons to believe that the session is not what this tab shows: another tab may have changed it [dashboard.30]. */
export const sessionRechecks = createStore(0);

export function recheckSession(): void {
  sessionRechecks.set(sessionRechecks.get() + 1);
}
