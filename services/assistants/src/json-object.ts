/**
 * A JSON object of the client. Copied with spread and `Object.fromEntries` only: assigning `__proto__` would lose it
 * [general.22].
 */
export type JsonObject = Record<string, unknown>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value of an own key: `constructor` is absent unless the client sent it. */
export function ownValue(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
