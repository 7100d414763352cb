import { monotonicMs, realSleep } from '@parley/kit/time';
import type { Client, Tally } from './client.ts';
import type { Target } from './next-request.ts';

const LINES = ['It is me.', 'What are your hours?', 'And on Sunday?'];
const POLL_MS = 250;
const LISTEN_MS = 1_000;
/** Enough for a takeover: the next worker answers within seconds. */
const ANSWERED_WITHIN_MS = 15_000;
const SESSION = '/widget/session';

/** Consecutive web calls: each line must get an answer from the assistant, then the human leaves. */
export async function makeWebCalls(
  client: Client,
  { agentId }: Target,
  signal: AbortSignal,
  load: Tally & { joined: string[] },
): Promise<void> {
  while (!signal.aborted) {
    const body = { agent_id: agentId };
    const made = await client.send({ method: 'POST', path: '/v2/call/web', body, expected: 201 });
    if (!made?.id || !made.access_token) continue;
    const token = made.access_token;
    await client.send({ method: 'POST', path: `${SESSION}/join`, token, expected: 200 });
    load.joined.push(made.id);
    let known = await nextAnswer(client, token, undefined, load);
    for (const text of LINES) {
      await client.send({
        method: 'POST',
        path: `${SESSION}/messages`,
        token,
        body: { text },
        expected: 202,
      });
      known = await nextAnswer(client, token, known, load);
    }
    await client.send({ method: 'POST', path: `${SESSION}/leave`, token, expected: 200 });
  }
}

/** Waits until the assistant has said something new; returns the `seq` of its latest message. */
async function nextAnswer(
  client: Client,
  token: string,
  known: number | undefined,
  tally: Tally,
): Promise<number | undefined> {
  const path = `${SESSION}/messages${known === undefined ? '' : `?after=${known}`}`;
  for (const beganMs = monotonicMs(); monotonicMs() - beganMs < ANSWERED_WITHIN_MS; ) {
    await realSleep(POLL_MS);
    const read = await client.send({ method: 'GET', path, token, expected: 200 });
    const said = (read?.messages ?? []).filter(({ role }) => role === 'agent').map(({ seq }) => seq);
    if (said.length === 0) continue;
    await realSleep(LISTEN_MS);
    return Math.max(...said);
  }
  const error = `the assistant said nothing within ${ANSWERED_WITHIN_MS / 1_000} s`;
  tally.failures.push({ at: new Date().toISOString(), request: path, error, status: undefined });
  return known;
}
