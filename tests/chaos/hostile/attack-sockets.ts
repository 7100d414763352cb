import { connect } from 'node:net';
import { realSleep } from '@parley/kit/time';
import type { Random } from '@parley/testkit/load';
import type { Attack, Attacker } from './attack.ts';

const MAX_OPEN_MS = 40_000;
const CRLF = '\r\n';

type Script = (attacker: Attacker, random: Random) => { bytes: string; trickle?: string; reset?: boolean };

const head = ({ privateKey }: Attacker, first: string, ...lines: string[]): string =>
  [first, 'host: x', `authorization: Bearer ${privateKey}`, ...lines, '', ''].join(CRLF);

/** `bytes` are written immediately, `trickle` repeatedly until the connection is closed. */
const SCRIPTS: readonly [Script, ...Script[]] = [
  () => ({ bytes: 'GET / HTTP/1.1\r\nhost: x\r\n', trickle: 'x-slow: 1\r\n' }),
  () => ({ bytes: '' }),
  () => ({ bytes: `GET /${'a'.repeat(30_000)} HTTP/1.1${CRLF}${CRLF}` }),
  () => ({ bytes: '\u0000\u0001\u0002 garbage\r\n\r\n' }),
  () => ({ bytes: `\u0016\u0003\u0001${'x'.repeat(500)}` }),
  (a) => ({ bytes: head(a, 'POST /v2/call HTTP/1.1', 'content-length: 1000'), trickle: '{' }),
  (a) => ({ bytes: `${head(a, 'POST /v2/call HTTP/1.1', 'content-length: 100000')}{"a":`, reset: true }),
  (a) => ({ bytes: `${head(a, 'POST /v2/call HTTP/1.1', 'transfer-encoding: chunked')}zzz${CRLF}` }),
  (a) => ({
    bytes: `${head(a, 'POST /v1/campaigns HTTP/1.1', 'content-type: application/json', 'transfer-encoding: chunked')}20${CRLF}{"campaign_name":"x","contacts":[${CRLF}`,
    trickle: `2${CRLF}{}${CRLF}`,
  }),
  (a) => ({ bytes: head(a, 'POST /v2/call HTTP/1.1', 'content-length: 2', 'transfer-encoding: chunked') }),
  (a) => ({ bytes: head(a, 'GET /v1/voice HTTP/1.1').repeat(50) }),
  (a) => ({ bytes: head(a, 'GET /v2/call/list HTTP/1.1', 'connection: upgrade', 'upgrade: websocket') }),
  (a) => ({ bytes: head(a, 'GET /openapi.json HTTP/1.1').repeat(20), reset: true }),
  (a) => ({
    bytes: head(a, 'PUT /v1/assistant/x HTTP/1.1', 'expect: 100-continue', 'content-length: 99999999999'),
  }),
];

/** A connection that is slow, is reset, or sends malformed HTTP. Open for less than a minute. */
export const attackBySockets: Attack = async (attacker, random) => {
  const { hostname, port } = new URL(attacker.url);
  const { bytes, trickle, reset } = random.pick(SCRIPTS)(attacker, random);
  const socket = connect(Number(port), hostname);
  let answered = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    answered ||= text.slice(9, 12);
  });
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.on('error', () => {});
  socket.write(bytes);
  const giveUpAt = Date.now() + MAX_OPEN_MS;
  if (reset) await realSleep(random.upTo(50)).then(() => socket.resetAndDestroy());
  while (!socket.destroyed && Date.now() < giveUpAt && !attacker.signal.aborted) {
    if (trickle !== undefined) socket.write(trickle);
    await Promise.race([closed, realSleep(500)]);
  }
  socket.destroy();
  return `socket ${answered || (reset ? 'reset' : 'silent')}`;
};
