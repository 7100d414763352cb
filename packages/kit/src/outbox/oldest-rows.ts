/** Of the payloads of a batch, which are in memory together. A message has up to 1 MiB. */
const MAX_BYTES = 8 * 1024 ** 2;

/**
 * Two CTEs: `locked` has the oldest rows that no other relay has locked, and `chosen` the first of these, until their payloads fill a batch.
 * The last chosen one may exceed it, so that there is always one. octet_length does not read payloads that are stored outside of their row.
 */
export const oldestRows = (maxRows: number): string => `
  locked AS MATERIALIZED (
    SELECT id, octet_length(payload) AS bytes FROM outbox ORDER BY id LIMIT ${maxRows} FOR UPDATE SKIP LOCKED
  ), chosen AS MATERIALIZED (
    SELECT id FROM (SELECT id, sum(bytes) OVER (ORDER BY id) - bytes AS before_it FROM locked) summed WHERE before_it < ${MAX_BYTES}
  )`;
