import { maskSecret } from '../secrets/index.ts';

const MAX_TEXT = 200;
const MAX_BYTES = 8 * 1024;

/** A secret was set or replaced. */
export const SECRET_CHANGE = { to: maskSecret };

/**
 * The changed fields between two states, as `{from, to}`, or `{to}` for new fields. Admins of the workspace can read them: never pass
 * secrets.
 */
export function changesBetween(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
): Record<string, unknown> {
  const changed = Object.keys(after).filter((key) => toText(before[key]) !== toText(after[key]));
  return Object.fromEntries(
    changed.map((key) => [
      key,
      key in before ? { from: before[key] ?? null, to: after[key] ?? null } : { to: after[key] ?? null },
    ]),
  );
}

/** Truncates long texts; if the result is still too large, only the names of the fields remain. */
export function bounded(changes: Record<string, unknown>): Record<string, unknown> {
  const short = JSON.parse(JSON.stringify(changes, (_key, value) => cutText(value)));
  if (Buffer.byteLength(JSON.stringify(short)) <= MAX_BYTES) return short;
  return { fields: Object.keys(changes).slice(0, 100).map(cutText) };
}

function cutText(value: unknown): unknown {
  return typeof value === 'string' && value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}…` : value;
}

function toText(value: unknown): string | undefined {
  return JSON.stringify(value instanceof Date ? value.toISOString() : (value ?? null));
}
