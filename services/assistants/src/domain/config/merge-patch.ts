import { isJsonObject, ownValue } from '../json-object.ts';

/**
 * `target` after a JSON Merge Patch (RFC 7386): an object is merged key by key at any depth, null removes a key, and
 * everything else, lists included, takes the place of what was there. Keys keep their order, new ones come last.
 * The result shares nothing with its inputs, and names such as `__proto__` are keys like any other (D1.8).
 */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isJsonObject(patch)) return copy(patch);
  const before = isJsonObject(target) ? target : {};
  const names = new Set([...Object.keys(before), ...Object.keys(patch)]);
  const entries = [...names]
    .filter((name) => ownValue(patch, name) !== null)
    .map((name) => [
      name,
      Object.hasOwn(patch, name)
        ? mergePatch(ownValue(before, name), ownValue(patch, name))
        : copy(ownValue(before, name)),
    ]);
  return Object.fromEntries(entries);
}

function copy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copy);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, copy(inner)]));
}
