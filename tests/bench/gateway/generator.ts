import { connect, type Socket } from 'node:net';

// A load generator process. It uses plain sockets, since a client library would need more CPU than the measured processes:
// it writes prepared bytes and reads responses with `content-length`.

export type Load = {
  port: number;
  path: string;
  headers: Record<string, string>;
  seconds: number;
  connections: number;
  /** Requests a second, independent of responses. Without it, each connection sends as soon as it has a response. */
  ratePerSecond?: number;
};
export type Measured = { count: number; seconds: number; failed: number; latencies: number[] };

type Line = { ask(done: (ok: boolean) => void): void; close(): void };

process.on('message', (load: Load) => {
  void run(load).then((measured) => process.send?.(measured));
});
process.on('disconnect', () => process.exit());

async function run(load: Load): Promise<Measured> {
  const request = Buffer.from(
    `GET ${load.path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${Object.entries(load.headers)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('')}\r\n`,
  );
  const latencies: number[] = [];
  let failed = 0;
  const ask = (line: Line, then: () => void): void => {
    const sentAt = performance.now();
    line.ask((ok) => {
      if (ok) latencies.push(performance.now() - sentAt);
      else failed += 1;
      then();
    });
  };
  const lines = await Promise.all(Array.from({ length: load.connections }, () => open(load.port, request)));
  const startedAt = performance.now();
  const endAt = startedAt + load.seconds * 1000;
  if (load.ratePerSecond === undefined) await closed(lines, endAt, ask);
  else await even(lines, endAt, load.ratePerSecond, ask);
  const seconds = (performance.now() - startedAt) / 1000;
  for (const line of lines) line.close();
  return { count: latencies.length, seconds, failed, latencies };
}

type Ask = (line: Line, then: () => void) => void;

/** Closed loop: each connection sends its next request after the response. */
async function closed(lines: Line[], endAt: number, ask: Ask): Promise<void> {
  await Promise.all(
    lines.map(
      (line) =>
        new Promise<void>((resolve) => {
          const next = (): void => {
            if (performance.now() < endAt) ask(line, next);
            else resolve();
          };
          next();
        }),
    ),
  );
}

/** Open loop: due requests are sent on a free connection, or wait for one; latency counts from the send. */
async function even(lines: Line[], endAt: number, ratePerSecond: number, ask: Ask): Promise<void> {
  const free = [...lines];
  const startedAt = performance.now();
  let sent = 0;
  await new Promise<void>((resolve) => {
    const tick = (): void => {
      const now = performance.now();
      if (now >= endAt && free.length === lines.length) {
        resolve();
        return;
      }
      const due = Math.min(now, endAt) - startedAt;
      for (; sent < (due * ratePerSecond) / 1000; sent += 1) {
        const line = free.pop();
        if (!line) break;
        ask(line, () => free.push(line));
      }
      setTimeout(tick, 1);
    };
    tick();
  });
}

async function open(port: number, request: Buffer): Promise<Line> {
  const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  let done: ((ok: boolean) => void) | undefined;
  let missing = -1;
  let status = '';
  let head = '';
  socket.on('data', (chunk: Buffer) => {
    let body = chunk.length;
    if (missing < 0) {
      head += chunk.toString('latin1');
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) return;
      status = head.slice(9, 12);
      body = head.length - end - 4;
      missing = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? Number.NaN);
      head = '';
    }
    missing -= body;
    if (missing > 0) return;
    // A response without a length counts as a failure.
    const ok = missing === 0 && status === '200';
    missing = -1;
    done?.(ok);
  });
  socket.on('error', () => done?.(false));
  return {
    ask: (then) => {
      done = then;
      socket.write(request);
    },
    close: () => socket.destroy(),
  };
}
