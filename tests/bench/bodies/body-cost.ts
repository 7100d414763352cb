import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { AnyEndpoint } from '@parley/contracts';
import { parseInput, toHttpError } from '@parley/kit/errors';
import { createReadJson } from '@parley/kit/http';

export type BodyCost = { ms: number; outcome: string };

/** Above the limit of every endpoint, so that no body is rejected for its size. */
const LIMIT_BYTES = 2 * 1024 ** 2;
const readJson = createReadJson(LIMIT_BYTES);

/**
 * CPU time of a body, from its bytes to the parsed input or to the text of the error response: the minimum of several tries,
 * since other work on the machine can only add to it.
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

/** The part of a request that reading its body needs. */
function requestOf(bytes: Buffer): IncomingMessage {
  const headers = { 'content-length': String(bytes.length) };
  const request = Object.assign(Readable.from([bytes]), { headers, complete: true, setTimeout: () => {} });
  return request as unknown as IncomingMessage;
}
