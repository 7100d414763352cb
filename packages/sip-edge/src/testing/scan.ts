import { randomUUID } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { setTimeout as sleep } from 'node:timers/promises';

/** What scanners send; the numbers and names are guesses. */
const METHODS = ['REGISTER', 'INVITE', 'OPTIONS'] as const;
const AGENTS = ['friendly-scanner', 'Scanner/1.0'];
/** Sent at once, then a pause: more would be dropped by the kernel, unseen. */
const BURST = 100;
const PAUSE_MS = 5;

export type ScanResult = { sent: number; answered: number; perSecond: number };

/** Sends so many unsolicited requests by UDP from so many unknown addresses of loopback, and counts what comes back. */
export async function scan({
  port,
  count,
  addresses = 200,
}: {
  port: number;
  count: number;
  addresses?: number;
}): Promise<ScanResult> {
  const sockets = await Promise.all(
    Array.from({ length: addresses }, (_, i) => open(`127.66.${i >> 8}.${i & 255}`)),
  );
  let answered = 0;
  for (const { socket } of sockets) socket.on('message', () => (answered += 1));
  const began = performance.now();
  for (let sent = 0; sent < count; sent += 1) {
    const from = sockets[sent % sockets.length];
    if (from) from.socket.send(request(sent, from.address, port), port, '127.0.0.1');
    if (sent % BURST === BURST - 1) await sleep(PAUSE_MS);
  }
  const perSecond = Math.round(count / ((performance.now() - began) / 1_000));
  // A response that was on its way.
  await sleep(500);
  for (const { socket } of sockets) socket.close();
  return { sent: count, answered, perSecond };
}

function request(n: number, address: string, port: number): string {
  const method = METHODS[n % METHODS.length] ?? 'OPTIONS';
  const extension = 100 + (n % 9_900);
  const uri = method === 'REGISTER' ? `sip:127.0.0.1:${port}` : `sip:${extension}@127.0.0.1:${port}`;
  return [
    `${method} ${uri} SIP/2.0`,
    `Via: SIP/2.0/UDP ${address}:5060;branch=z9hG4bK${randomUUID()};rport`,
    'Max-Forwards: 70',
    `From: <sip:${extension}@127.0.0.1>;tag=${n}`,
    `To: <sip:${extension}@127.0.0.1>${n % 7 === 0 ? ';tag=guess' : ''}`,
    `Call-ID: ${randomUUID()}`,
    `CSeq: 1 ${method}`,
    `Contact: <sip:${extension}@${address}:5060>`,
    ...(n % 5 === 0
      ? [`Authorization: Digest username="${extension}", realm="x", nonce="y", uri="z", response="0"`]
      : []),
    ...(n % 7 === 0 ? [`Route: <sip:127.0.0.1:${port};lr>`] : []),
    `User-Agent: ${AGENTS[n % AGENTS.length]}`,
    'Content-Length: 0',
    '',
    '',
  ].join('\r\n');
}

async function open(address: string): Promise<{ socket: Socket; address: string }> {
  const socket = createSocket('udp4');
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject).bind(0, address, resolve);
  });
  return { socket, address };
}

/** Values of the edge's metrics, summed over labels. */
export async function edgeMetrics(internalPort: number): Promise<(name: string) => number> {
  const text = await (await fetch(`http://127.0.0.1:${internalPort}/metrics`)).text();
  return (name) =>
    [...text.matchAll(new RegExp(`^kamailio_${name}(?:\\{[^}]*\\})? (\\S+)`, 'gm'))].reduce(
      (sum, [, value]) => sum + Number(value),
      0,
    );
}
