import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monotonicMs, realTimer } from '@parley/kit/time';
import {
  createMediaSession,
  createOpusCodec,
  createRecorder,
  createRtpLine,
  createTicker,
  createUdpTransport,
  type MediaSession,
  playStream,
  recordSession,
} from '@parley/media';
import { tone } from '@parley/media/testing';
import { createIceServer, createWebRtcPeer, PEER_ADDRESS, prepareWebRtc } from '@parley/media/webrtc';
import { readOffer } from '@parley/media/webrtc-offer';
import { loadVoiceActivity } from '@parley/speech';

// The measured process: answers its parent's offers. Each call speaks endlessly, detects voice and records, as in a worker.

const HOST = '127.0.0.1';
const RATE = 24_000;
const clock = { nowMs: monotonicMs, timer: realTimer };
const raise = (error: unknown): void => {
  throw error;
};
const ticker = createTicker(clock, raise);
const folder = mkdtempSync(join(tmpdir(), 'parley-bench-web-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
process.on('SIGTERM', () => process.exit());
process.on('disconnect', () => process.exit());

await prepareWebRtc();
const ports = { min: 23_000, max: 23_999 };
const transport = await createUdpTransport({ address: HOST, random: Math.random, ports, rtcpMux: true });
const server = createIceServer(transport);
const vad = await loadVoiceActivity();
const sessions: MediaSession[] = [];

async function* speech(hz: number): AsyncGenerator<Int16Array> {
  const chunk = tone(hz, 100, RATE);
  for (;;) yield chunk;
}

async function answer(n: number, sdp: string): Promise<string> {
  const offer = readOffer(sdp);
  const codec = await createOpusCodec({ sampleRate: RATE });
  const path = join(folder, `${randomBytes(6).toString('hex')}.wav`);
  const recorder = await createRecorder({
    path,
    sampleRate: RATE,
    startedAtMs: clock.nowMs(),
    onError: raise,
  });
  const peer = createWebRtcPeer({
    server,
    addresses: [HOST],
    offer,
    onMessage: () => {},
    onConnected: () => {
      const line = createRtpLine({
        transport: peer.transport,
        codec,
        payloadType: offer.audio.payloadType,
        remote: PEER_ADDRESS,
        rtcpMux: true,
        ssrc: peer.ssrc,
        cname: 'bench',
        nowMs: clock.nowMs,
        random: Math.random,
      });
      const session = createMediaSession(line, ticker);
      const voice = vad(RATE);
      session.onFrame(({ samples }) => void voice.isVoice(samples));
      recordSession(recorder, session);
      playStream(session, speech(200 + n), { sampleRate: RATE });
      sessions.push(session);
    },
  });
  return peer.answer;
}

const snapshot = () => {
  const { user, system } = process.cpuUsage();
  const lost = sessions.reduce((sum, session) => sum + session.stats().packetsLost, 0);
  return { atMs: clock.nowMs(), cpuMs: (user + system) / 1_000, lost };
};
let from = snapshot();
process.on('message', (message: { offer?: string; n?: number } | 'measure' | 'report') => {
  if (message === 'measure') from = snapshot();
  else if (message === 'report') {
    const to = snapshot();
    process.send?.({
      cpu: (to.cpuMs - from.cpuMs) / (to.atMs - from.atMs),
      lost: to.lost - from.lost,
      rssMib: process.memoryUsage().rss / 1_048_576,
    });
  } else void answer(message.n ?? 0, message.offer ?? '').then((sdp) => process.send?.(sdp));
});
process.send?.('ready');
