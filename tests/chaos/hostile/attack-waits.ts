import { connect } from 'node:net';
import { realSleep, withDeadline } from '@parley/kit/time';
import { type Answer, type Attack, bearer, makeRoom, send } from './attack.ts';

const OPEN_MS = 20_000;
const READ_EVERY_MS = 1_000;
const FIXES = 30;
const STOPPED_WITHIN_MS = 1_000;

/** Reads a long response a few bytes at a time, with a key or without. */
export const attackBySlowReads: Attack = async (attacker, random) => {
  const { hostname, port } = new URL(attacker.url);
  const path = random.pick([
    '/openapi.json',
    '/v2/call/export.csv',
    `/recordings/${random.upTo(1e9).toFixed(0)}.wav?expires=1&signature=x`,
    '/widget/session/messages',
  ]);
  const lines = [`GET ${path} HTTP/1.1`, 'host: x', `authorization: Bearer ${attacker.privateKey}`];
  const socket = connect({ port: Number(port), host: hostname });
  let read = 0;
  socket.on('error', () => {});
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  socket.pause();
  const giveUpAt = Date.now() + OPEN_MS;
  while (!socket.destroyed && Date.now() < giveUpAt && !attacker.signal.aborted) {
    await realSleep(READ_EVERY_MS);
    read += (socket.read(100) as Buffer | null)?.length ?? 0;
  }
  socket.destroy();
  return `slow read ${read > 0 ? 'answered' : 'silent'}`;
};

/** Many requests at once that wait for something: fixes of transcripts and stops of calls. */
export const attackByWaits: Attack = async (attacker, random) => {
  const headers = bearer(attacker.privateKey);
  const place = async (): Promise<Answer> => {
    const answer = await send(attacker, {
      method: 'POST',
      path: '/v2/call',
      headers,
      body: JSON.stringify({
        from_number: attacker.phoneNumber,
        to_number: `+1303${String(Math.floor(random.upTo(1e6))).padStart(6, '0')}0007`,
      }),
    });
    await makeRoom(attacker, answer);
    return answer;
  };
  let placed = await place();
  if (placed.status === 429) {
    await realSleep(STOPPED_WITHIN_MS);
    placed = await place();
  }
  if (placed.status !== 201) return `waits: call ${placed.status}`;
  const { id } = (JSON.parse(placed.text) as { data: { id: string } }).data;
  const paths = Array.from({ length: FIXES }, () => random.pick(['transcript/fix', 'stop', 'stop']));
  const answers = await Promise.all(
    paths.map((path) => send(attacker, { method: 'POST', path: `/v2/call/${id}/${path}`, headers })),
  );
  const statuses = answers.map(({ status }) => status);
  return `waits ${Math.min(...statuses)} to ${Math.max(...statuses)}`;
};

/** Opens event streams of the dashboard and keeps them: with a session more than it may have, with keys, which must have none. */
export const attackByStreams: Attack = async (attacker, random) => {
  const key = random.pick([attacker.privateKey, attacker.publicKey, 'nonsense']);
  const headers = (random.chance(0.5) && attacker.session) || (random.chance(0.3) ? {} : bearer(key));
  const open = async (signal: AbortSignal): Promise<string> => {
    const response = await fetch(`${attacker.url}/dashboard/api/events`, { headers, signal });
    // A stream that is accepted ends by the deadline.
    await response.text().catch(() => '');
    return `stream ${response.status}`;
  };
  return withDeadline(OPEN_MS, open, attacker.signal);
};
