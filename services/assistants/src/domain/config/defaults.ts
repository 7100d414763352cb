import { DEFAULT_VOICE_ID } from '../voices/catalogue.ts';

export const DEFAULT_SYSTEM_PROMPT =
  'You are a friendly and polite voice assistant on a phone call. Listen carefully, answer briefly and truthfully, ' +
  'and say so when you do not know something. When the conversation is over, say goodbye and end the call.';

/**
 * The configuration with its defaults (D3.3), but for `nativeTools`, which has a story of its own.
 * Undefined marks a known key that is absent by default.
 */
export const CONFIG_DEFAULTS = {
  systemPrompt: DEFAULT_SYSTEM_PROMPT,
  firstMessage: '',
  language: 'en-US',
  model: { provider: 'builtin', name: 'scripted-1', temperature: 0.3 },
  voice: { voiceId: DEFAULT_VOICE_ID, speed: 1 },
  settings: {
    webhookUrl: undefined,
    maxCallDuration: 3600,
    silenceTimeout: 30,
    ringTimeout: 30,
    recording: { enabled: true },
    voicemail: { detection: true, action: 'hangup', message: '' },
    postCallAnalysis: { enabled: true, fields: [] },
  },
  toolIds: [],
  kbStoreIds: [],
  fileSearchStoreIds: [],
};
