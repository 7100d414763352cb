import { isJsonObject, type JsonObject, ownValue } from '../json-object.ts';
import { CONFIG_DEFAULTS } from './defaults.ts';

const ID_LISTS = ['toolIds', 'kbStoreIds', 'fileSearchStoreIds'] as const;
const OPTIONAL_OF_FIELD = ['required', 'examples', 'choices'];

/**
 * The document with every known key: a known one that is missing or null has its default, the client's own keys stay
 * as they are, at any level (D3.3). Repeated ids are dropped. Values of a wrong shape stay, for the check to name.
 */
export function completeConfig(document: JsonObject): JsonObject {
  const filled = fill(document, CONFIG_DEFAULTS);
  const lists = ID_LISTS.map((key) => [key, withoutRepeats(filled[key])]);
  return { ...filled, settings: withPlainFields(filled.settings), ...Object.fromEntries(lists) };
}

function fill(document: JsonObject, defaults: JsonObject): JsonObject {
  const known = Object.entries(defaults).map(([key, fallback]) => [
    key,
    valueOr(ownValue(document, key), fallback),
  ]);
  const others = Object.entries(document).filter(([key]) => !Object.hasOwn(defaults, key));
  return Object.fromEntries([...known.filter(([, value]) => value !== undefined), ...others]);
}

function valueOr(value: unknown, fallback: unknown): unknown {
  if (isJsonObject(fallback)) {
    return isJsonObject(value ?? fallback) ? fill((value ?? {}) as JsonObject, fallback) : value;
  }
  // Defaults that are lists are copied, so that no document shares one.
  return value ?? (Array.isArray(fallback) ? [...fallback] : fallback);
}

function withoutRepeats(list: unknown): unknown {
  return Array.isArray(list) ? [...new Set(list)] : list;
}

/** A null on an optional key of an analysis field leaves it out, as on any known key. */
function withPlainFields(settings: unknown): unknown {
  if (!isJsonObject(settings) || !isJsonObject(settings.postCallAnalysis)) return settings;
  const { fields } = settings.postCallAnalysis;
  if (!Array.isArray(fields)) return settings;
  return { ...settings, postCallAnalysis: { ...settings.postCallAnalysis, fields: fields.map(plainField) } };
}

function plainField(field: unknown): unknown {
  if (!isJsonObject(field)) return field;
  const kept = Object.entries(field).filter(
    ([key, value]) => value !== null || !OPTIONAL_OF_FIELD.includes(key),
  );
  return Object.fromEntries(kept);
}
