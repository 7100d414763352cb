import { monotonicMs, realSleep } from '@parley/kit/time';
import type { Client, Tally } from './client.ts';
import type { Target } from './next-ask.ts';

const LINES = ['It is me.', 'What are your hours?', 'And on Sunday?'];
const ASK_EVERY_MS = 250;
const LISTENS_MS = 1_000;
/** A worker that takes the call over answers within seconds. */
const ANSWERED_WITHIN_MS = 15_000;
const SESSION = '/widget/session';

/** One web call after the other: each line wants an answer of the assistant, then the human leaves. */
export async function talkOnTheWeb(
  client: Client,
  { agentId }: Target,
  signal: AbortSignal,
  load: Tally & { joined: string[] },
): Promise<void> {
  while (!signal.aborted) {
    const body = { agent_id: agentId };
    const made = await client.ask({ method: 'POST', path: '/v2/call/web', body, expected: 201 });
    if (!made?.id || !made.access_token) continue;
    const token = made.access_token;
    await client.ask({ method: 'POST', path: `${SESSION}/join`, token, expected: 200 });
    load.joined.push(made.id);
    let known = await nextAnswer(client, token, undefined, load);
    for (const text of LINES) {
      await client.ask({
        method: 'POST',
        path: `${SESSION}/messages`,
        token,
        body: { text },
        expected: 202,
      });
      known = await nextAnswer(client, token, known, load);
    }
    await client.ask({ method: 'POST', path: `${SESSION}/leave`, token, expected: 200 });
  }
}

/** Listens until the assistant has said something new; the `seq` of its last words. */
async function nextAnswer(
  client: Client,
  token: string,
  known: number | undefined,
  tally: Tally,
): Promise<number | undefined> {
  const path = `${SESSION}/messages${known === undefined ? '' : `?after=${known}`}`;
  for (const beganMs = monotonicMs(); monotonicMs() - beganMs < ANSWERED_WITHIN_MS; ) {
    await realSleep(ASK_EVERY_MS);
    const read = await client.ask({ method: 'GET', path, token, expected: 200 });
    const said = (read?.messages ?? []).filter(({ role }) => role === 'agent').map(({ seq }) => seq);
    if (said.length === 0) continue;
    await realSleep(LISTENS_MS);
    return Math.max(...said);
  }
  const was = `the assistant said nothing within ${ANSWERED_WITHIN_MS / 1_000} s`;
  tally.failures.push({ at: new Date().toISOString(), request: path, was, status: undefined });
  return known;
}
