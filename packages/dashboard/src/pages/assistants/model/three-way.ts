import { isObject, isSame, type JsonObject, valueAt, withValueAt } from './json.ts';

/** A value that both editors changed, differently. */
export type Conflict = { path: readonly string[]; base: unknown; mine: unknown; theirs: unknown };

export type ThreeWay = {
  /** Both changes together; where they conflict, mine. */
  merged: JsonObject;
  conflicts: Conflict[];
  /** What only the other editor changed. */
  taken: (readonly string[])[];
};

/**
 * Puts two changes of one document together. Objects are compared key by key, lists of texts (such as ids) entry by entry, everything
 * else as a whole.
 */
export function mergeThreeWay(base: JsonObject, mine: JsonObject, theirs: JsonObject): ThreeWay {
  const conflicts: Conflict[] = [];
  const taken: (readonly string[])[] = [];
  let merged = mine;
  for (const path of changedPaths(base, theirs)) {
    const [was, my, their] = [base, mine, theirs].map((document) => valueAt(document, path));
    if (isSame(my, their)) continue;
    if (isSame(was, my)) {
      merged = withValueAt(merged, path, their);
      taken.push(path);
    } else if (isList(was) && isList(my) && isList(their)) {
      merged = withValueAt(merged, path, mergeLists(was, my, their));
    } else conflicts.push({ path, base: was, mine: my, theirs: their });
  }
  return { merged, conflicts, taken };
}

/** Paths of values that differ, as deep as both sides are objects. */
function changedPaths(a: JsonObject, b: JsonObject, under: readonly string[] = []): string[][] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].flatMap((key) => {
    const [from, to] = [a[key], b[key]];
    if (isSame(from, to)) return [];
    const path = [...under, key];
    return isObject(from) && isObject(to) ? changedPaths(from, to, path) : [path];
  });
}

function isList(value: unknown): value is string[] {
  return (
    Array.isArray(value) &&
    value.every((item) => typeof item === 'string') &&
    new Set(value).size === value.length
  );
}

/** What the other editor has, with what was added and removed here. */
function mergeLists(was: string[], mine: string[], theirs: string[]): string[] {
  const added = mine.filter((item) => !was.includes(item) && !theirs.includes(item));
  const kept = theirs.filter((item) => mine.includes(item) || !was.includes(item));
  return [...kept, ...added];
}
