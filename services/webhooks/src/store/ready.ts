/** Due, and nobody's (`events_ready_idx`). What is due by its time alone is marked so by `markDue`. */
export const READY = `ready AND status = 'pending' AND lease_until IS NULL`;

/** Not due yet, or not marked yet (`events_waiting_idx` by time, `events_waiting_by_endpoint_idx`). */
export const WAITING = `NOT ready AND status = 'pending' AND lease_until IS NULL`;

/** Whoever has it, it has no verdict yet (`events_leased_idx`). With `READY` and `WAITING`: all that is pending, each once. */
export const LEASED = `status = 'pending' AND lease_until IS NOT NULL`;
