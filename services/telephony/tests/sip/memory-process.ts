import { jest } from '@jest/globals';
import { createLogger } from '@parley/kit/log';
import { createClock } from '@parley/kit/time';
import type { MediaSession } from '@parley/media';
import type { LegEvent } from '../../src/carriers/call-control.ts';
import { createListeners } from '../../src/carriers/listeners.ts';
import type { LegState } from '../../src/carriers/sip/legs/leg-state.ts';
import { dialLeg } from '../../src/carriers/sip/legs/outbound-leg.ts';
import type { SipLeg } from '../../src/carriers/sip/legs/sip-leg.ts';
import { createLocalCalls, legIdOf } from '../../src/carriers/sip/local-calls.ts';
import type { LegMedia } from '../../src/carriers/sip/media/leg-media.ts';
import type { SipConnection } from '../../src/carriers/sip/signalling/connection.ts';
import type { Connections, Hop } from '../../src/carriers/sip/signalling/connections.ts';
import type { FindRoute } from '../../src/carriers/sip/signalling/find-route.ts';
import { openFlow } from '../../src/carriers/sip/signalling/flow.ts';
import { createRouter } from '../../src/carriers/sip/signalling/router.ts';
import type { Signalling } from '../../src/carriers/sip/signalling/signalling.ts';
import { createTransferCall } from '../../src/carriers/sip/transfers/transfer-call.ts';
import { trunkAt } from './sip-process.ts';

// The legs of a worker without sockets: what they send is a list of texts, and a test writes what they receive.

export const CALL = '6d5cf0b2-6d43-4d65-8f43-54a8f7ab3a01';

const { setImmediate } = globalThis;
const PORT = 5_060;
const SDP = 'v=0\r\n';
const FAR_TAG = 'far';
const FAR_CONTACT = 'sip:far@192.0.2.1:5060;transport=tcp';
const HOP: Hop = { via: 'direct', transport: 'tcp', address: '192.0.2.1', port: PORT, host: 'trunk.example' };

/** All that has been begun goes on as far as it can without time. Also with faked timers. */
export const settle = async (): Promise<void> => {
  for (let n = 0; n < 10; n += 1) await new Promise((resolve) => setImmediate(resolve));
};

/** With faked timers: what happens at once, and what is due then. */
export const pass = async (ms: number): Promise<void> => {
  jest.advanceTimersByTime(ms);
  await settle();
};

/** Audio that is never heard, and not missed. */
function memoryMedia(answer: LegMedia['answer']): LegMedia {
  const session = {
    sampleRate: 8_000,
    closed: new Promise(() => {}),
    flush: () => {},
    addSource: () => () => {},
    onFrame: () => () => {},
    onDigit: () => () => {},
  } as unknown as MediaSession;
  return {
    offer: () => SDP,
    accept: async () => true,
    answer,
    isSecure: () => false,
    session: () => session,
    isHeld: () => true,
    hasKeys: () => false,
    countsInfoKey: () => true,
    lastReceivedAtMs: () => 0,
    close: () => {},
  };
}

export type MemoryProcess = ReturnType<typeof memoryProcess>;

export function memoryProcess({ answer = async () => SDP }: { answer?: LegMedia['answer'] } = {}) {
  const sent: string[] = [];
  const states = new Map<string, LegState>();
  const events: LegEvent[] = [];
  const clock = createClock({ rate: 1, originMs: Date.now() });
  const log = createLogger({ service: 'test', level: 'silent' });
  /** Replaced by tests of connections that fail. */
  const network = { connect: async (_: Hop): Promise<void> => {} };
  /** Replaced by tests of states that are stored late, or can't be. */
  const storage = { beforeSave: async (): Promise<void> => {} };
  const connection: SipConnection = {
    transport: 'tcp',
    localAddress: '127.0.0.1',
    localPort: PORT,
    remoteAddress: '192.0.2.1',
    remotePort: PORT,
    isOpen: true,
    send: (text) => void sent.push(text),
    close: () => {},
  };
  const router = createRouter({
    trace: () => {},
    clock,
    onRequest: () => {},
    onDropped: () => {},
    onFailure: (err) => {
      throw err;
    },
  });
  const connections = {
    to: async (hop: Hop) => {
      await network.connect(hop);
      return connection;
    },
    hold: () => () => {},
  } as unknown as Connections;
  const signalling: Signalling = {
    router,
    connections,
    findEdges: async () => [],
    openFlow: (hop, callId, first) => {
      const own = { host: undefined, ports: {}, edge: { host: 'worker.invalid' } };
      return openFlow({ connections, router, own: () => own }, { hop, callId, ...(first ? { first } : {}) });
    },
    listen: async () => {},
    onRequest: () => {},
    disposeAfter: (ms, dispose) => void setTimeout(dispose, ms).unref(),
  };
  const listeners = createListeners();
  const openMedia = async (): Promise<LegMedia> => memoryMedia(answer);
  const calls = createLocalCalls({
    ...{ signalling, openMedia, listeners, clock, log },
    metrics: { happened: () => {} },
    saveState: async (callId, state) => {
      await storage.beforeSave();
      states.set(callId, JSON.parse(JSON.stringify(state)));
    },
    findOwnNumber: async () => ({ connection: trunkAt(PORT) }),
  });
  const route = { uriHost: 'trunk.example', addresses: ['192.0.2.1'] };
  const server = { hop: HOP, target: { address: '192.0.2.1', port: PORT }, headers: [] };
  const routes = { servers: [server] };
  const findRoute: FindRoute = async () => ({ ...route, servers: routes.servers });

  const receive = async (text: string): Promise<void> => {
    router.receive(connection, text);
    await settle();
  };
  const sentOf = (start: string): string[] => sent.filter((text) => text.startsWith(start));
  const watch = (callId: string): void => void listeners.watch(callId, (event) => void events.push(event));

  return {
    here: calls,
    sent,
    sentOf,
    states,
    events,
    network,
    storage,
    routes,
    connection,
    receive,
    watch,
    transfer: createTransferCall({
      calls,
      findRoute,
      findOwnNumber: async () => ({ number: '+12025550100', connection: trunkAt(PORT) }),
    }),
    /** Places a call; its INVITE has left. */
    async dial(callId: string, outlivesEnd = false): Promise<{ leg: SipLeg; invite: string }> {
      watch(callId);
      const { host, port, transport } = { host: 'trunk.example', port: PORT, transport: 'tcp' as const };
      const dialed = await dialLeg(
        { ...calls.legDeps(callId), findRoute, outlivesEnd },
        {
          ...{ callId, legId: legIdOf(callId), sipCallId: callId, ringTimeoutMs: 60_000 },
          trunk: { host, port, transport, credentials: null },
          ...{ from: '+12025550100', to: '+12025550199' },
        },
      );
      if (!('leg' in dialed)) throw new Error('The call did not leave');
      await settle();
      calls.legs.set(callId, dialed.leg);
      return { leg: dialed.leg, invite: this.last('INVITE') };
    },
    /** The request of this method that was sent last. */
    last(method: string): string {
      const text = sentOf(`${method} `).at(-1);
      if (text === undefined) throw new Error(`no ${method} among ${sent.map((one) => one.split(' ', 1))}`);
      return text;
    },
    /** The far end responds. */
    respond: (request: string, status: number, options: ResponseOptions = {}) =>
      receive(responseTo(request, status, options)),
    /** A request of the far end within the call that began with our INVITE. */
    request: (method: string, cseq: number, invite: string, options: RequestOptions = {}) =>
      receive(requestWithin(method, cseq, invite, options)),
  };
}

/** A call of ours that is answered. */
export async function answered(process: MemoryProcess): Promise<{ leg: SipLeg; invite: string }> {
  const { leg, invite } = await process.dial(CALL);
  await process.respond(invite, 200, { sdp: true });
  if (process.sentOf('ACK ').length !== 1) throw new Error('The answer is not acknowledged');
  return { leg, invite };
}

/** Whether a promise has resolved, and with what. */
export function resultOf<T>(promise: Promise<T>): { value?: T } {
  const result: { value?: T } = {};
  void promise.then((value) => {
    result.value = value;
  });
  return result;
}

export const headerOf = (text: string, name: string): string =>
  new RegExp(`^${name}: (.*)\\r$`, 'im').exec(text)?.[1] ?? '';

type ResponseOptions = { headers?: readonly string[]; contact?: string; sdp?: boolean; tag?: string };

function responseTo(request: string, status: number, options: ResponseOptions): string {
  const { headers = [], contact = FAR_CONTACT, sdp = false, tag = FAR_TAG } = options;
  const to = headerOf(request, 'To');
  return [
    `SIP/2.0 ${status} Response`,
    `Via: ${headerOf(request, 'Via')}`,
    `From: ${headerOf(request, 'From')}`,
    `To: ${to.includes(';tag=') ? to : `${to};tag=${tag}`}`,
    `Call-ID: ${headerOf(request, 'Call-ID')}`,
    `CSeq: ${headerOf(request, 'CSeq')}`,
    `Contact: <${contact}>`,
    ...headers,
    ...bodyOf(sdp ? SDP : '', 'application/sdp'),
  ].join('\r\n');
}

type RequestOptions = { headers?: readonly string[]; type?: string; body?: string; branch?: string };

function requestWithin(method: string, cseq: number, invite: string, options: RequestOptions): string {
  const { headers = [], type = 'application/sdp', body = '', branch = `z9hG4bK${method}${cseq}` } = options;
  const to = headerOf(invite, 'To');
  return [
    `${method} ${/<(.*)>/.exec(headerOf(invite, 'Contact'))?.[1]} SIP/2.0`,
    `Via: SIP/2.0/TCP 192.0.2.1:5060;branch=${branch}`,
    `From: ${to.includes(';tag=') ? to : `${to};tag=${FAR_TAG}`}`,
    `To: ${headerOf(invite, 'From')}`,
    `Call-ID: ${headerOf(invite, 'Call-ID')}`,
    `CSeq: ${cseq} ${method}`,
    `Contact: <${FAR_CONTACT}>`,
    'Max-Forwards: 70',
    ...headers,
    ...bodyOf(body, type),
  ].join('\r\n');
}

const bodyOf = (body: string, type: string): string[] => [
  ...(body ? [`Content-Type: ${type}`] : []),
  `Content-Length: ${body.length}`,
  '',
  body,
];
