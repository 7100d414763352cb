export type Difference = { path: string; mine: unknown; theirs: unknown };

/** The fields in which two values differ, by their dotted paths. Arrays are compared as a whole. */
export function differences(mine: unknown, theirs: unknown, path = ''): Difference[] {
  if (!isRecord(mine) || !isRecord(theirs))
    return JSON.stringify(mine) === JSON.stringify(theirs) ? [] : [{ path, mine, theirs }];
  const names = [...new Set([...Object.keys(mine), ...Object.keys(theirs)])];
  return names.flatMap((name) => differences(mine[name], theirs[name], path ? `${path}.${name}` : name));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * `mine` with the fields that only `theirs` has changed since `base`. Where both have changed a field, mine stays.
 */
export function merge<T>(base: T, mine: T, theirs: T): T {
  if (!isRecord(base) || !isRecord(mine) || !isRecord(theirs))
    return JSON.stringify(mine) === JSON.stringify(base) ? theirs : mine;
  const names = [...new Set([...Object.keys(mine), ...Object.keys(theirs)])];
  const merged = names.map((name): [string, unknown] => [name, merge(base[name], mine[name], theirs[name])]);
  return Object.fromEntries(merged.filter(([, value]) => value !== undefined)) as T;
}
