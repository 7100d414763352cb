import { describe, expect, it } from '@jest/globals';
import { createKeyedLimiter } from '@parley/kit/concurrency';
import type { CallRecord } from '../calls/call-record.ts';
import { AUDIO_PROTOCOL } from '../carriers/web/audio-protocol.ts';
import type { Tx } from '../prisma.ts';
import type { Call } from '../sessions/call.ts';
import { createForwardAudio } from './forward-audio.ts';
import { type OfferDeps, offerWebCall } from './offer-web-call.ts';

const FINGERPRINT = Array.from({ length: 32 }, (_, n) => n.toString(16).padStart(2, '0')).join(':');
const SDP = [
  ...[
    'v=0',
    'o=- 1 2 IN IP4 127.0.0.1',
    's=-',
    't=0 0',
    'a=group:BUNDLE 0',
    'm=audio 9 UDP/TLS/RTP/SAVPF 0',
    'c=IN IP4 0.0.0.0',
  ],
  ...['a=ice-ufrag:ZWlu', 'a=ice-pwd:0123456789abcdefghijkl+/', `a=fingerprint:sha-256 ${FINGERPRINT}`],
  ...['a=setup:actpass', 'a=mid:0', 'a=sendrecv', 'a=rtcp-mux', 'a=rtpmap:0 PCMU/8000', ''],
].join('\r\n');

const OF_WORKSPACE = 4;
const OF_CALL = 2;

/** Joined calls without a worker until `take`. A token is a workspace and a call. */
function calls() {
  let isTaken = false;
  const live = { id: 'call', state: { phase: 'selecting_assistant' } } as Call;
  const deps: OfferDeps = {
    accessTokens: {
      read: (token) => {
        const [workspaceId = '', callId = ''] = token.split(' ');
        return { workspaceId, callId };
      },
    },
    history: {
      find: async () => ({ id: 'call', status: 'in-progress', ended_at: null }) as CallRecord,
    },
    clock: { now: () => new Date(0) } as OfferDeps['clock'],
    transact: (work) => work({} as Tx),
    webCalls: { lock: async () => live, joined: async () => new Set(['call']) },
    webLines: {
      openAudio: async () => {},
      hasAudio: async () => true,
      offer: async () => 1,
      findReply: async () => (isTaken ? { sdp: 'answer' } : null),
    },
    visitorWaits: createKeyedLimiter({ concurrency: OF_WORKSPACE }),
    visitorWaitsOfCall: createKeyedLimiter({ concurrency: OF_CALL }),
  };
  const take = (): void => {
    isTaken = true;
  };
  return { deps, take };
}

/** The code of a refusal, or that there is none yet. */
const soon = (work: Promise<unknown>): Promise<unknown> =>
  Promise.race([
    work.catch((err: { code?: string }) => err.code),
    new Promise((resolve) => setTimeout(resolve, 20, 'waits')),
  ]);

describe('visitors who wait for a worker [trust.1] [trust.8]', () => {
  it('are limited for each call and for each workspace: one token leaves room for other visitors', async () => {
    const { deps, take } = calls();
    const waiting: Promise<{ sdp: string }>[] = [];
    const offer = (token: string): Promise<unknown> => {
      const work = offerWebCall(deps, token, { sdp: SDP, participant: 'browser' });
      work.then(
        () => {},
        () => {},
      );
      waiting.push(work);
      return soon(work);
    };
    expect([await offer('many one'), await offer('many one')]).toEqual(['waits', 'waits']);
    expect(await offer('many one')).toBe('RATE_LIMITED');
    expect([await offer('many two'), await offer('many three')]).toEqual(['waits', 'waits']);
    for (let n = 0; n <= OF_CALL; n += 1) expect(await offer('many four')).toBe('RATE_LIMITED');
    expect(await offer('another five')).toBe('waits');
    take();
    const settled = await Promise.allSettled(waiting);
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    // Refused ones have left their places.
    expect(await offer('many four')).toMatchObject({ sdp: 'answer' });
  });

  it('by WebSocket count too', async () => {
    const { deps } = calls();
    const socket = { destroyed: false };
    const forward = createForwardAudio({
      ...deps,
      webLines: { findWorker: async () => undefined },
    });
    const connect = (token: string): Promise<unknown> => {
      const headers = { 'sec-websocket-protocol': `${AUDIO_PROTOCOL}, ${token}, browser` };
      return soon(Promise.resolve(forward({ req: { headers }, socket, head: Buffer.alloc(0) } as never)));
    };
    expect([await connect('many one'), await connect('many one')]).toEqual(['waits', 'waits']);
    expect(await connect('many one')).toBe('RATE_LIMITED');
    expect([await connect('many two'), await connect('many three')]).toEqual(['waits', 'waits']);
    expect(await connect('many four')).toBe('RATE_LIMITED');
    const offered = offerWebCall(deps, 'many five', { sdp: SDP, participant: 'browser' });
    expect(await soon(offered)).toBe('RATE_LIMITED');
    socket.destroyed = true;
  });
});
