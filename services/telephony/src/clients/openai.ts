import { OpenAI } from 'openai';
import type { Config } from '../config.ts';

/** Timeout until a response begins, in real time; callers set their own overall timeout. */
const TIMEOUT_MS = 15_000;

/**
 * The operator's OpenAI-compatible endpoint; undefined if none is configured. Retries are up to the caller. The client reads no
 * environment variables and logs nothing.
 */
export function createOpenAi({
  OPENAI_BASE_URL: baseURL,
  OPENAI_API_KEY: apiKey,
}: Pick<Config, 'OPENAI_BASE_URL' | 'OPENAI_API_KEY'>): OpenAI | undefined {
  if (baseURL === undefined && apiKey === undefined) return undefined;
  return new OpenAI({
    baseURL: baseURL ?? 'https://api.openai.com/v1',
    // A self-hosted model server often needs no key.
    apiKey: apiKey ?? 'none',
    organization: null,
    project: null,
    maxRetries: 0,
    timeout: TIMEOUT_MS,
    logLevel: 'off',
  });
}
