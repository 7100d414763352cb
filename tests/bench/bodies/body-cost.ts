import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { AnyEndpoint } from '@parley/contracts';
import { parseInput, toHttpError } from '@parley/kit/errors';
import { createReadJson } from '@parley/kit/http';

export type BodyCost = { ms: number; outcome: string };

/** Above that of every endpoint: the cost matters, not whether the body is too large. */
const LIMIT_BYTES = 2 * 1024 ** 2;
const readJson = createReadJson(LIMIT_BYTES);

/**
 * Processor time of a body, from its bytes to the parsed input or to the text of the refusal: the best of some tries, since
 * other work of the machine only ever adds to it.
 */
export async function costOfBody(endpoint: AnyEndpoint, text: string, tries: number): Promise<BodyCost> {
  const bytes = Buffer.from(text);
  const costs: BodyCost[] = [];
  for (let n = 0; n < tries; n += 1) {
    const started = process.cpuUsage();
    const outcome = await outcomeOf(endpoint, bytes);
    const { user, system } = process.cpuUsage(started);
    costs.push({ ms: (user + system) / 1_000, outcome });
  }
  return costs.reduce((least, next) => (next.ms < least.ms ? next : least));
}

async function outcomeOf({ body }: AnyEndpoint, bytes: Buffer): Promise<string> {
  if (!body || body === 'stream') throw new Error('an endpoint without a JSON body');
  try {
    const { value } = await readJson(requestOf(bytes));
    parseInput(body, value);
    return 'taken';
  } catch (err) {
    const { status, body: answer } = toHttpError(err);
    return `${status} of ${JSON.stringify(answer).length} bytes`;
  }
}

/** A request as far as its body is read. */
function requestOf(bytes: Buffer): IncomingMessage {
  const headers = { 'content-length': String(bytes.length) };
  const request = Object.assign(Readable.from([bytes]), { headers, complete: true, setTimeout: () => {} });
  return request as unknown as IncomingMessage;
}
