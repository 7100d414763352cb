import { isObject, isSame, type JsonObject } from './json.ts';

/** The JSON Merge Patch (RFC 7386) that makes `to` of `from`: only what differs, null for what is gone. */
export function mergePatch(from: JsonObject, to: JsonObject): JsonObject {
  const patch: JsonObject = {};
  for (const key of new Set([...Object.keys(from), ...Object.keys(to)])) {
    const [a, b] = [from[key], to[key]];
    if (isSame(a, b)) continue;
    if (b === undefined) patch[key] = null;
    else patch[key] = isObject(a) && isObject(b) ? mergePatch(a, b) : b;
  }
  return patch;
}
