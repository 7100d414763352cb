import type { Limits } from '../providers/limits.ts';
import type { LiveModelConfig, LiveType } from './live-config.ts';
import type { LiveModel } from './live-model.ts';

const BASE_URLS: Record<LiveType, string> = {
  'gemini-live': 'https://generativelanguage.googleapis.com',
  'openai-realtime': 'https://api.openai.com/v1',
};

/** Loads only the code of the model's type. */
export async function createLiveModel(config: LiveModelConfig, limits?: Limits): Promise<LiveModel> {
  const { name, type, base_url, api_key: apiKey, model } = config;
  const account = { name, model, apiKey, baseUrl: base_url ?? BASE_URLS[type], ...(limits && { limits }) };
  return type === 'gemini-live'
    ? (await import('./gemini-live.ts')).createGeminiLive(account)
    : (await import('./openai-realtime.ts')).createOpenAiRealtime(account);
}
