import { request } from 'node:http';
import { realSleep } from '@parley/kit/time';
import type { ServiceProcess } from '@parley/testkit/stage';
import type { Page } from './seed.ts';

const STALL_MS = 2_000;
const BYTES_PER_MS = 6 * 1024;

/** Reads a page like a client on a slow connection: nothing at first, then some megabytes a second. Returns the number of bytes. */
export function readSlowly({ url, headersOf }: ServiceProcess, page: Page): Promise<number> {
  return new Promise((resolve, reject) => {
    const { workspaceId, method, path, body } = page;
    const req = request(url + path, { method, headers: headersOf(workspaceId) });
    req.once('error', reject);
    req.once('response', async (res) => {
      try {
        await realSleep(STALL_MS);
        let bytes = 0;
        let end = '';
        for await (const chunk of res as AsyncIterable<Buffer>) {
          bytes += chunk.length;
          end = chunk.toString('latin1').slice(-1);
          await realSleep(chunk.length / BYTES_PER_MS);
        }
        if (res.statusCode !== 200 || end !== '}') throw new Error(`${path}: ${res.statusCode}, cut off`);
        resolve(bytes);
      } catch (err) {
        reject(err);
      }
    });
    req.end(body && JSON.stringify(body));
  });
}
