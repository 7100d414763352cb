/** A JSON object of the client. Only spread and `Object.fromEntries` copy it: assigning `__proto__` would lose it (D1.8). */
export type JsonObject = Record<string, unknown>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What stands under a key of its own: `constructor` is absent unless the client sent it. */
export function ownValue(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
