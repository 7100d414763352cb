/** A message has up to a mebibyte; those of a batch are in memory together. */
const MAX_BYTES = 8 * 1024 ** 2;

/**
 * CTEs of a statement: `locked` are the oldest rows, as far as no other relay has locked them, and `chosen` those of them whose payloads
 * fit into a batch; the last one may exceed it, so there is always one. octet_length reads no payload that is stored apart from its row.
 */
export const oldestRows = (maxRows: number): string => `
  locked AS MATERIALIZED (
    SELECT id, octet_length(payload) AS bytes FROM outbox ORDER BY id LIMIT ${maxRows} FOR UPDATE SKIP LOCKED
  ), chosen AS MATERIALIZED (
    SELECT id FROM (SELECT id, sum(bytes) OVER (ORDER BY id) - bytes AS before_it FROM locked) summed WHERE before_it < ${MAX_BYTES}
  )`;
