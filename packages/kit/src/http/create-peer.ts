import { Agent } from 'node:http';
import type { AnyEndpoint, BodyInputOf, ParamsOf, QueryInputOf, ServiceName } from '@parley/contracts';
import CircuitBreaker from 'opossum';
import { newId } from '../ids/index.ts';
import type { Log } from '../log/index.ts';
import { type Metrics, traceHeaders } from '../observability/index.ts';
import { type Asked, createAsk, toAsked } from './ask-peer.ts';
import type { Actor } from './auth.ts';
import { INTERNAL_TOKEN_HEADER, type InternalTokens } from './internal-tokens.ts';
import {
  createReadAnswer,
  errorOf,
  type PeerAnswerOf,
  type PeerResponse,
  unavailable,
} from './peer-answer.ts';

export type PeerOptions = {
  /** The service that is asked; in logs and messages. */
  name: ServiceName;
  /** The service that asks: the actor of requests on its own account. */
  caller: ServiceName;
  baseUrl: string;
  internalTokens: InternalTokens;
  log: Log;
  /** Budget of a whole call in real time, the retry included. */
  timeoutMs?: number;
  /** Where the state of the breaker is shown. */
  metrics?: Metrics;
};

/** On whose behalf a peer is asked. Without an actor it is the service itself. */
export type PeerContext = { workspaceId: string; actor?: Actor; requestId?: string };

export type PeerInput<E extends AnyEndpoint> = (E extends { params: unknown }
  ? { params: ParamsOf<E> }
  : unknown) &
  (E extends { body: unknown } ? { body: BodyInputOf<E> } : unknown) & { query?: QueryInputOf<E> };

export type Peer = {
  /**
   * Asks an endpoint of the peer; the answer is parsed by the contract. Throws the peer's error as an `AppError` with
   * its code, and `SERVICE_UNAVAILABLE` when the peer can't be reached, is late, or its breaker is open.
   */
  call<E extends AnyEndpoint>(
    endpoint: E,
    input: PeerInput<E>,
    context: PeerContext,
  ): Promise<PeerAnswerOf<E>>;
  /** Closes the idle connections. */
  close(): void;
};

const DEFAULT_TIMEOUT_MS = 2_500;
/**
 * Shorter than the peer keeps an idle connection, also while it drains (STOP_DRAIN_MS): no request leaves on one that is
 * just being closed.
 */
const IDLE_SOCKET_MS = 3_000;

const BREAKER = {
  // The request has its own deadline, which also ends the request; the breaker's would only stop waiting for it.
  timeout: false,
  volumeThreshold: 10,
  errorThresholdPercentage: 50,
  rollingCountTimeout: 5_000,
  resetTimeout: 1_000,
} as const;

/** A client of another service: got behind a breaker. Only a peer that is away trips it, never a caller's mistake. */
export function createPeer(options: PeerOptions): Peer {
  const { name, log, metrics, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const agent = new Agent({ keepAlive: true, timeout: IDLE_SOCKET_MS, maxFreeSockets: 32 });
  const ask = createAsk(agent, options.baseUrl);
  const breaker = new CircuitBreaker((asked: Asked) => ask(asked, AbortSignal.timeout(timeoutMs)), {
    ...BREAKER,
    name,
  });
  const show = (isOpen: boolean): void => metrics?.circuitOpen.set({ peer: name }, Number(isOpen));
  show(false);
  breaker.on('open', () => {
    show(true);
    log.warn({ peer: name }, 'peer breaker opened');
  });
  // The next request goes out and tells: until there is one, nothing is refused.
  breaker.on('halfOpen', () => show(false));
  breaker.on('close', () => {
    show(false);
    log.info({ peer: name }, 'peer breaker closed');
  });
  const readers = new WeakMap<AnyEndpoint, (response: PeerResponse) => unknown>();

  const readerOf = (endpoint: AnyEndpoint): ((response: PeerResponse) => unknown) => {
    const known = readers.get(endpoint) ?? createReadAnswer(endpoint, name);
    readers.set(endpoint, known);
    return known;
  };

  return {
    call: async <E extends AnyEndpoint>(endpoint: E, input: PeerInput<E>, context: PeerContext) => {
      const asked = toAsked(endpoint, input, headersOf(options, context));
      const response = await breaker.fire(asked).catch((cause: unknown) => {
        throw unavailable(name, cause);
      });
      if (response.statusCode >= 400) throw errorOf(response, name);
      return readerOf(endpoint)(response) as PeerAnswerOf<E>;
    },
    close: () => {
      breaker.shutdown();
      agent.destroy();
    },
  };
}

function headersOf({ internalTokens, caller }: PeerOptions, context: PeerContext): Record<string, string> {
  const { workspaceId, actor = { kind: 'service', id: caller }, requestId = newId() } = context;
  return {
    ...traceHeaders(),
    'x-request-id': requestId,
    [INTERNAL_TOKEN_HEADER]: internalTokens.mint({ workspaceId, actor, requestId }),
  };
}
