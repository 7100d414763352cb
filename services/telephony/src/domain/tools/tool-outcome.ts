import type { OutboundResult } from '@parley/kit/outbound';
import { DEEPEST, isDeeperThan } from './json-depth.ts';

/** What became of a tool: `error` null means that `result` is its answer. */
export type ToolOutcome = {
  statusCode: number | null;
  result: unknown;
  error: string | null;
  /** It came in time, but later than an integrator promises (D4.5). */
  slow: boolean;
  /** What a knowledge base found; null for every other tool. */
  documents: readonly unknown[] | null;
};

/** How much of an answer's body counts (D4.7). */
export const MOST_RESULT_CHARACTERS = 15_000;
const CUT = ` [cut after ${MOST_RESULT_CHARACTERS} characters]`;
const SLOW_MS = 10_000;

export function failed(error: string, statusCode: number | null = null): ToolOutcome {
  return { statusCode, result: null, error, slow: false, documents: null };
}

export function succeeded(result: unknown): ToolOutcome {
  return { statusCode: null, result, error: null, slow: false, documents: null };
}

/** The JSON of a 2xx is handed on untouched, as text where it is nested beyond reason; all else is an error that the call survives (D4.7). */
export function readOutcome(answer: OutboundResult, timeoutSeconds: number): ToolOutcome {
  if (answer.outcome === 'timeout') return failed(`The tool did not answer within ${timeoutSeconds} seconds`);
  if (answer.outcome !== 'response') return failed(answer.error, answer.status || null);
  const { status, body, bodyTruncated, durationMs } = answer;
  if (status < 200 || status > 299) return failed(`The tool answered with status ${status}`, status);
  const slow = durationMs > SLOW_MS;
  const result = readJson(body, bodyTruncated);
  if (!result) return { ...failed('The tool did not answer with JSON', status), slow };
  return { ...succeeded(result.value), statusCode: status, slow };
}

function readJson(body: string, truncated: boolean): { value: unknown } | undefined {
  // What was too long to be read whole can't be parsed: its beginning is what there is.
  if (truncated) return /^\s*[[{"]/.test(body) ? { value: cut(body) } : undefined;
  try {
    const value: unknown = JSON.parse(body);
    if (body.length > MOST_RESULT_CHARACTERS) return { value: cut(body) };
    return { value: isDeeperThan(DEEPEST, value) ? body : value };
  } catch {
    return undefined;
  }
}

function cut(body: string): string {
  return body.slice(0, MOST_RESULT_CHARACTERS) + CUT;
}
