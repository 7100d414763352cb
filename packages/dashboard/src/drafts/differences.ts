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

/** The fields that both `mine` and `theirs` have changed since `base`, differently; also where one changed a part of what the other did. */
export function clashes<T>(base: T, mine: T, theirs: T): Difference[] {
  const changed = differences(base, theirs);
  const own = differences(base, mine);
  const isIn = (found: Difference[], path: string) => found.some((one) => isWithin(one.path, path));
  return differences(mine, theirs).filter(({ path }) => isIn(changed, path) && isIn(own, path));
}

/**
 * Whether another person has `stored` something in a field that was changed here too, and this page has `shown` an older version: it is
 * compared before anything is saved [dashboard.61].
 */
export function clashesUnseen<T>(base: T, sent: T, shown: T, stored: T): boolean {
  return differences(shown, stored).length > 0 && clashes(base, sent, stored).length > 0;
}

/** Whether one of two paths is the other, or a part of it; the empty path is the whole. */
function isWithin(one: string, other: string): boolean {
  const [long, short] = one.length > other.length ? [one, other] : [other, one];
  return short === '' || long === short || long.startsWith(`${short}.`);
}

/** The fields of `next` that differ from those of `former`. */
export function changedFields<T extends object>(former: T, next: T): Partial<T> {
  const changed = Object.entries(next).filter(
    ([name, value]) => differences(former[name as keyof T], value).length > 0,
  );
  return Object.fromEntries(changed) as Partial<T>;
}
