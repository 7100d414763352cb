import { dashboardChanges } from '../shapes/dashboard-event.ts';

/**
 * Changes without a message of their own, for pages that show them live [dashboard.6]. A hint: it is published once, outside of the
 * outbox, and may be lost.
 */
export const changesNoted = dashboardChanges;
