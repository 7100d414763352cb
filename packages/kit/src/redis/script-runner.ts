import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';

/** Runs Lua scripts by their digests, and sends a script itself only to a Redis that doesn't know it. */
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
  const gather = createGatherer(client);
  return async (script, keys, args) => {
    try {
      gather();
      return await client.evalsha(digestOf(script), keys.length, ...keys, ...args);
    } catch (err) {
      // A Redis that was started anew, or another one after a failover.
      if (!(err instanceof Error && err.message.startsWith('NOSCRIPT'))) throw err;
      return client.eval(script, keys.length, ...keys, ...args);
    }
  };
}

/**
 * What is asked in one turn of the event loop leaves in one write. ioredis's own pipelines do the same, and keep several
 * kilobytes of each command until the old generation is collected.
 */
function createGatherer(client: Redis): () => void {
  let gathering = false;
  return () => {
    if (gathering || client.status !== 'ready') return;
    const { stream } = client;
    gathering = true;
    stream.cork();
    setImmediate(() => {
      gathering = false;
      stream.uncork();
    });
  };
}
