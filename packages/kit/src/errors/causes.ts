const MAX_DEPTH = 8;

/**
 * An error and its causes, outermost first: `cause`, the `errors` of an AggregateError, and Prisma's `meta.driverAdapterError`.
 */
export function* causesOf(err: unknown, depth = 0): Generator<Record<string, unknown>> {
  if (!isRecord(err) || depth > MAX_DEPTH) return;
  yield err;
  yield* causesOf(err.cause, depth + 1);
  if (isRecord(err.meta)) yield* causesOf(err.meta.driverAdapterError, depth + 1);
  if (Array.isArray(err.errors)) for (const inner of err.errors) yield* causesOf(inner, depth + 1);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
