import { z } from 'zod';

// A client that sends the most expensive requests at full speed, whatever the responses, for a given time; then prints the counts
// of responses. `GREEDY`: URL, key and duration.

const AT_ONCE = 24;
const { url, key, ms } = z
  .object({ url: z.string(), key: z.string(), ms: z.number() })
  .parse(JSON.parse(process.env.GREEDY ?? ''));

/** Slightly more values than a body may have. */
const values = JSON.stringify({ agent_name: 'x', config: { mine: Array(50_001).fill(0) } });
const longText = JSON.stringify({ agent_name: 'x', config: { systemPrompt: '\u00e9'.repeat(500_000) } });
const requests: readonly [string, string][] = [
  ['/v1/assistant/list', JSON.stringify({ size: 100 })],
  ['/v2/call/list', JSON.stringify({ size: 1_000, to_number: '1', page: 20 })],
  ['/v1/assistant/list', JSON.stringify({ size: 100, search: 'a' })],
  ['/v2/call/list', JSON.stringify({ size: 1_000, duration_min: 1, to_number: '77' })],
  ['/v1/assistant', values],
  ['/v1/assistant', longText],
];

const answers: Record<string, number> = {};
const givesUpAt = Date.now() + ms;
let next = 0;

async function ask(): Promise<void> {
  while (Date.now() < givesUpAt) {
    const [path, body] = requests[next % requests.length] ?? ['', ''];
    next += 1;
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const answer = await fetch(url + path, { method: 'POST', headers, body })
      .then(async (response) => {
        await response.arrayBuffer();
        return String(response.status);
      })
      .catch(() => 'broken');
    answers[answer] = (answers[answer] ?? 0) + 1;
  }
}

await Promise.all(Array.from({ length: AT_ONCE }, ask));
process.stdout.write(JSON.stringify(answers));
