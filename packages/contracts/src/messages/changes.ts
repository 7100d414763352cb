import { dashboardChanges } from '../shapes/dashboard-event.ts';

/**
 * Changes without an event of their own, for the gateway's event streams [dashboard.6]. A hint: it is published once, outside of the
 * outbox, and may be lost.
 */
export const changesNoted = dashboardChanges;
