import type { OutboundResult } from '@parley/kit/outbound';
import { isDeeperThan, MAX_DEPTH } from './json-depth.ts';

/** The result of a tool. `error` is null if it succeeded. */
export type ToolOutcome = {
  statusCode: number | null;
  result: unknown;
  error: string | null;
  /** Within the timeout, but slower than integrators promise [tools.16]. */
  slow: boolean;
  /** Passages found by a knowledge base; null for other tools. */
  documents: readonly unknown[] | null;
};

/** Longer responses are cut [tools.20]. */
export const MAX_RESULT_CHARACTERS = 15_000;
const CUT = ` [cut after ${MAX_RESULT_CHARACTERS} characters]`;
const SLOW_MS = 10_000;

export function failed(error: string, statusCode: number | null = null): ToolOutcome {
  return { statusCode, result: null, error, slow: false, documents: null };
}

export function succeeded(result: unknown): ToolOutcome {
  return { statusCode: null, result, error: null, slow: false, documents: null };
}

/** The JSON of a 2xx is the result, as text if it is nested too deeply; everything else is an error that the call survives [tools.20]. */
export function readOutcome(answer: OutboundResult, timeoutSeconds: number): ToolOutcome {
  if (answer.outcome === 'timeout')
    return failed(`The tool did not respond within ${timeoutSeconds} seconds`);
  if (answer.outcome !== 'response') return failed(answer.error, answer.status || null);
  const { status, body, bodyTruncated, durationMs } = answer;
  if (status < 200 || status > 299) return failed(`The tool responded with status ${status}`, status);
  const slow = durationMs > SLOW_MS;
  const result = readJson(body, bodyTruncated);
  if (!result) return { ...failed('The tool did not respond with JSON', status), slow };
  return { ...succeeded(result.value), statusCode: status, slow };
}

function readJson(body: string, truncated: boolean): { value: unknown } | undefined {
  // A truncated body cannot be parsed.
  if (truncated) return /^\s*[[{"]/.test(body) ? { value: cut(body) } : undefined;
  try {
    const value: unknown = JSON.parse(body);
    if (body.length > MAX_RESULT_CHARACTERS) return { value: cut(body) };
    return { value: isDeeperThan(MAX_DEPTH, value) ? body : value };
  } catch {
    return undefined;
  }
}

function cut(body: string): string {
  return body.slice(0, MAX_RESULT_CHARACTERS) + CUT;
}
