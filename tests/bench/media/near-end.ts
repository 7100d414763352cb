import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { playStream } from '@parley/media';
import { tone } from '@parley/media/testing';
import { type End, openCall, record, reportOn, ticker } from './measured-process.ts';
import { HOST } from './protocol.ts';

// The measured process: `near-end.ts CALLS KIND FAR_PORT`. Sends its ports, then a report on request.

const [count = '0', kind = 'calls', farPort = '0'] = process.argv.slice(2);
const SYNTHESIS_RATE = 24_000;
const PACKET_BYTES = 172;

const ends: End[] = [];
for (let n = 0; n < Number(count); n += 1) {
  ends.push(await (kind === 'sockets' ? openSocket() : openTalk(n)));
}
reportOn(ends);

/** An endless answer, in chunks as from speech synthesis. */
async function* synthesis(hz: number): AsyncGenerator<Int16Array> {
  const chunk = tone(hz, 100, SYNTHESIS_RATE);
  for (;;) yield chunk;
}

async function openTalk(n: number): Promise<End> {
  const { session, end } = await openCall(Number(farPort));
  playStream(session, synthesis(200 + n), { sampleRate: SYNTHESIS_RATE });
  if (kind === 'recorded') await record(session, n);
  return end;
}

/** A socket that sends a packet every 20 ms and ignores received ones. */
async function openSocket(): Promise<End> {
  const socket = createSocket('udp4');
  socket.on('message', () => undefined);
  socket.bind(0, HOST);
  await once(socket, 'listening');
  let sequence = 0;
  ticker.subscribe(() => {
    const bytes = Buffer.alloc(PACKET_BYTES);
    sequence = (sequence + 1) & 0xffff;
    bytes.writeUInt16BE(sequence, 2);
    socket.send(bytes, Number(farPort), HOST);
  });
  return { port: socket.address().port, lost: () => 0, concealedMs: () => 0 };
}
