import type { AnyEndpoint } from '@parley/contracts';
import { toHttpError } from '@parley/kit/errors';
import { readJsonBody } from '@parley/kit/http';

export type BodyCost = { ms: number; outcome: string };

/**
 * Processor time of a body, from its bytes to the parsed input or to the text of the refusal: the best of some tries, since
 * other work of the machine only ever adds to it.
 */
export function costOfBody(endpoint: AnyEndpoint, text: string, tries: number): BodyCost {
  const bytes = Buffer.from(text);
  const costs = Array.from({ length: tries }, () => {
    const started = process.cpuUsage();
    const outcome = outcomeOf(endpoint, bytes);
    const { user, system } = process.cpuUsage(started);
    return { ms: (user + system) / 1_000, outcome };
  });
  return costs.reduce((least, next) => (next.ms < least.ms ? next : least));
}

function outcomeOf({ body }: AnyEndpoint, bytes: Buffer): string {
  if (!body || body === 'stream') throw new Error('an endpoint without a JSON body');
  try {
    readJsonBody(bytes, body);
    return 'taken';
  } catch (err) {
    const { status, body: answer } = toHttpError(err);
    return `${status} of ${JSON.stringify(answer).length} bytes`;
  }
}
