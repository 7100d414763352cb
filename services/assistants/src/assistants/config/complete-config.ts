import { isJsonObject, type JsonObject, ownValue } from '../../json-object.ts';

const DEFAULT_SYSTEM_PROMPT =
  'You are a friendly and polite voice assistant on a phone call. Listen carefully, answer briefly and truthfully, ' +
  'and say so when you do not know something. When the conversation is over, say goodbye and end the call.';

/** Defaults of the configuration [assistants.10] without `nativeTools`. Undefined: known, but absent by default. */
export const CONFIG_DEFAULTS = {
  systemPrompt: DEFAULT_SYSTEM_PROMPT,
  firstMessage: '',
  language: 'en-US',
  model: { provider: 'builtin', name: 'scripted-1', temperature: 0.3 },
  voice: { provider: undefined, voiceId: 'aria', speed: 1 },
  transcriber: { provider: undefined, model: undefined, language: undefined, keywords: [] },
  settings: {
    webhookUrl: undefined,
    maxCallDuration: 3600,
    silenceTimeout: 30,
    ringTimeout: 30,
    endpointing: { silenceMs: 700 },
    interruption: { enabled: true, minSpeechMs: 300 },
    recording: { enabled: true },
    voicemail: { detection: true, action: 'hangup', message: '' },
    postCallAnalysis: { enabled: true, fields: [] },
  },
  toolIds: [],
  kbStoreIds: [],
  fileSearchStoreIds: [],
};

const ID_LISTS = ['toolIds', 'kbStoreIds', 'fileSearchStoreIds'] as const;
const OPTIONAL_OF_FIELD = ['required', 'examples', 'choices'];

/**
 * Completes a document: missing and null known keys get their defaults, the client's own keys stay unchanged at any level
 * [assistants.12]. Duplicate ids are dropped. Values of the wrong type stay for validation.
 */
export function completeConfig(
  document: JsonObject,
  defaultVoiceId = CONFIG_DEFAULTS.voice.voiceId,
): JsonObject {
  const voice = { ...CONFIG_DEFAULTS.voice, voiceId: defaultVoiceId };
  const filled = fill(document, { ...CONFIG_DEFAULTS, voice });
  const lists = ID_LISTS.map((key) => [key, withoutRepeats(filled[key])]);
  return {
    ...filled,
    settings: withPlainFields(filled.settings),
    ...Object.fromEntries(lists),
  };
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
  // Copied, so that documents do not share a default array.
  return value ?? (Array.isArray(fallback) ? [...fallback] : fallback);
}

function withoutRepeats(list: unknown): unknown {
  return Array.isArray(list) ? [...new Set(list)] : list;
}

/** Null for an optional key of an analysis field means missing. */
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
