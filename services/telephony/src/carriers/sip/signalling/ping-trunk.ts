import { randomUUID } from 'node:crypto';
import { monotonicMs } from '@parley/kit/time';
import type { IncomingResponse } from 'sip.js/lib/core/index.js';
import type { Trunk } from '../trunk.ts';
import { isFailureOfEdge } from './edge.ts';
import type { FindRoute, Route, TrunkServer } from './find-route.ts';
import { createLegCore, toUri } from './leg-core.ts';
import type { Signalling } from './signalling.ts';

/** The result of OPTIONS. `isReachable`: there was a response, with any status. */
type TrunkAnswer = {
  isReachable: boolean;
  /** Of the response; null: there was none. */
  status: number | null;
  /** The reason phrase, or why there was no response. */
  text: string;
  durationMs: number;
};

/**
 * Sends OPTIONS to a trunk, with its credentials if it demands them: to the servers that its calls may take, until one responds. Never
 * rejects.
 */
export type PingTrunk = (trunk: Trunk) => Promise<TrunkAnswer>;

const TIMEOUT_MS = 5_000;
const TIMED_OUT = 408;
const UNREACHABLE = 503;

export function createPingTrunk(signalling: Signalling, findRoute: FindRoute): PingTrunk {
  return async (trunk) => {
    const beganMs = monotonicMs();
    const pingServer = (route: Route, server: TrunkServer): Promise<Outcome> =>
      ping(signalling, trunk, route, server).catch(failed);
    const pingTrunk = async (): Promise<Outcome> => {
      const route = await findRoute(trunk);
      const [first, ...others] = route.servers;
      if (!first) throw new Error('The trunk has no address');
      const outcome = await pingServer(route, first);
      if (isUp(outcome)) return outcome;
      const more = await Promise.all(others.map((server) => pingServer(route, server)));
      return more.find(isUp) ?? outcome;
    };
    const outcome = await pingTrunk().catch(failed);
    return { ...outcome, durationMs: Math.round(monotonicMs() - beganMs) };
  };
}

type Outcome = Omit<TrunkAnswer, 'durationMs'>;

/** Calls pass over a server that responds 503 [sip.20]. */
const isUp = ({ isReachable, status }: Outcome): boolean => isReachable && status !== UNREACHABLE;

const failed = (err: unknown): Outcome => ({
  isReachable: false,
  status: null,
  text: err instanceof Error ? err.message : String(err),
});

async function ping(
  { openFlow, router }: Signalling,
  trunk: Trunk,
  route: Route,
  server: TrunkServer,
): Promise<Outcome> {
  const { hop } = server;
  const flow = await openFlow(hop, null);
  const { core, receive, dispose } = createLegCore({
    flow,
    user: 'ping',
    credentials: () => trunk.credentials,
  });
  const callId = randomUUID();
  const unregister = router.register(callId, { callId: null, receive });
  try {
    return await new Promise((resolve) => {
      const done = (status: number | null, text: string): void =>
        resolve({ isReachable: status !== null, status, text });
      const timer = setTimeout(() => done(null, 'The trunk did not respond in time'), TIMEOUT_MS);
      const finish = ({ message }: IncomingResponse): void => {
        clearTimeout(timer);
        const { statusCode = 0, reasonPhrase = '' } = message;
        // Without a response the library generates one of these two, which has no bytes.
        const isOwn = !message.data && (statusCode === TIMED_OUT || statusCode === UNREACHABLE);
        done(isOwn || isFailureOfEdge(hop, message) ? null : statusCode, reasonPhrase);
      };
      const to = toUri(`sip:${route.uriHost}`);
      const from = toUri(flow.contactUri('ping'));
      const request = core.makeOutgoingRequestMessage('OPTIONS', to, from, to, { callId }, [
        `Contact: <${flow.contactUri('ping')}>`,
        ...server.headers,
      ]);
      core.request(request, { onAccept: finish, onReject: finish, onRedirect: finish });
    });
  } finally {
    unregister();
    dispose();
    flow.close();
  }
}
