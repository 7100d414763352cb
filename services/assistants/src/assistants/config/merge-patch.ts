import { isJsonObject, ownValue } from '../../json-object.ts';

/**
 * Applies a JSON Merge Patch (RFC 7386). Keys keep their order, new ones are appended. The result shares nothing with its
 * inputs, and `__proto__` is an ordinary key [general.22].
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
