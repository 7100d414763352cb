/** Due, and nobody's (`events_ready_idx`). What is due by its time alone is marked so by `markDue`. */
export const READY = `ready AND status = 'pending' AND lease_until IS NULL`;

/** Not due yet, or not marked yet (`events_waiting_idx`). */
export const WAITING = `NOT ready AND status = 'pending' AND lease_until IS NULL`;
