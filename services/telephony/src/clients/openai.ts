import { OpenAI } from 'openai';
import type { Config } from '../config.ts';

/** How long an answer may take to begin, in real time; those who ask set the rest. */
const TIMEOUT_MS = 15_000;

/**
 * The endpoint of the operator that speaks OpenAI's API; undefined where none is configured. Whoever asks decides about
 * repetitions. It reads nothing of the environment by itself and logs nothing.
 */
export function createOpenAi({
  OPENAI_BASE_URL: baseURL,
  OPENAI_API_KEY: apiKey,
}: Pick<Config, 'OPENAI_BASE_URL' | 'OPENAI_API_KEY'>): OpenAI | undefined {
  if (baseURL === undefined && apiKey === undefined) return undefined;
  return new OpenAI({
    baseURL: baseURL ?? 'https://api.openai.com/v1',
    // A model server of one's own often wants none.
    apiKey: apiKey ?? 'none',
    organization: null,
    project: null,
    maxRetries: 0,
    timeout: TIMEOUT_MS,
    logLevel: 'off',
  });
}
