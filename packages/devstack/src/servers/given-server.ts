import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode } from '../processes/error-code.ts';
import { Problem } from '../terminal/problem.ts';
import { shortReason } from './local-server.ts';
import { probe } from './probe.ts';
import { SERVERS, type ServerKind } from './server-kinds.ts';

const TIMEOUT_MS = 15_000;

/** Waits briefly for the server that the environment names, since it may still be starting; returns its version. */
export async function waitForGiven(kind: ServerKind, url: string, signal: AbortSignal): Promise<string> {
  const { title, variable, protocols } = SERVERS[kind];
  if (!URL.canParse(url) || !protocols.includes(new URL(url).protocol)) {
    throw new Problem(`${variable} must be a URL starting with ${protocols[0]}//`);
  }
  const giveUpAt = performance.now() + TIMEOUT_MS;
  for (;;) {
    try {
      return await probe(kind, url);
    } catch (error) {
      if (isHopeless(error) || performance.now() > giveUpAt) {
        throw new Problem(
          `The ${title} of ${variable} cannot be used: ${shortReason(error)}. ` +
            `Correct it, or unset ${variable} to let Parley find another one.`,
          { cause: error },
        );
      }
    }
    await sleep(300, undefined, { signal });
  }
}

/** A refused connection may be temporary; an error from the server itself, or an invalid URL, is permanent. */
function isHopeless(error: unknown): boolean {
  return !['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'EAI_AGAIN', 'ENOTFOUND', '57P03'].includes(
    errorCode(error),
  );
}
