import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';

/** Runs Lua scripts by digest, and sends the script if Redis doesn't know it. */
export function scriptRunner(
  client: Redis,
): (script: string, keys: string[], args: (string | number)[]) => Promise<unknown> {
  const digests = new Map<string, string>();
  const digestOf = (script: string): string => {
    const known = digests.get(script);
    if (known !== undefined) return known;
    const digest = createHash('sha1').update(script).digest('hex');
    digests.set(script, digest);
    return digest;
  };
  const cork = createCork(client);
  return async (script, keys, args) => {
    try {
      cork();
      return await client.evalsha(digestOf(script), keys.length, ...keys, ...args);
    } catch (err) {
      // Redis was restarted, or failed over.
      if (!(err instanceof Error && err.message.startsWith('NOSCRIPT'))) throw err;
      return client.eval(script, keys.length, ...keys, ...args);
    }
  };
}

/**
 * Sends the commands of one turn of the event loop in one write. ioredis's own pipelines do the same, but retain several kilobytes per
 * command until the old generation is collected.
 */
function createCork(client: Redis): () => void {
  let isCorked = false;
  return () => {
    if (isCorked || client.status !== 'ready') return;
    const { stream } = client;
    isCorked = true;
    stream.cork();
    setImmediate(() => {
      isCorked = false;
      stream.uncork();
    });
  };
}
