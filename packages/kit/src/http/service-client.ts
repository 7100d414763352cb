import { Agent } from 'node:http';
import type { AnyEndpoint, BodyInputOf, ParamsOf, QueryInputOf, ServiceName } from '@parley/contracts';
import CircuitBreaker from 'opossum';
import { newId } from '../ids/index.ts';
import type { Lifecycle } from '../lifecycle/index.ts';
import type { Log } from '../log/index.ts';
import { type Metrics, traceHeaders } from '../observability/index.ts';
import type { Actor } from './auth.ts';
import { INTERNAL_TOKEN_HEADER, type InternalTokens } from './internal-tokens.ts';
import { createSendRequest, type ServiceRequest, toServiceRequest } from './service-request.ts';
import {
  createReadResponse,
  errorOf,
  type HttpResponse,
  type ServiceResponseOf,
  unavailable,
} from './service-response.ts';

export type ServiceClientOptions = {
  /** The service that is called; in logs and messages. */
  name: ServiceName;
  /** The calling service: the actor of requests on its own behalf. */
  caller: ServiceName;
  baseUrl: string;
  internalTokens: InternalTokens;
  log: Log;
  /** Real milliseconds of a whole call, including its retry. */
  timeoutMs?: number;
  /** Exposes the state of the circuit breaker. */
  metrics?: Metrics;
};

/** On whose behalf a service is called. Without an actor it is the calling service itself. */
export type CallContext = { workspaceId: string; actor?: Actor; address?: string; requestId?: string };

type CallInput<E extends AnyEndpoint> = (E extends { params: unknown } ? { params: ParamsOf<E> } : unknown) &
  (E extends { body: unknown } ? { body: BodyInputOf<E> } : unknown) & { query?: QueryInputOf<E> };

export type ServiceClient = {
  /**
   * Calls an endpoint and parses the response by its contract. Throws the error of the response as an `AppError` with its code, and
   * `SERVICE_UNAVAILABLE` if the service cannot be reached or is too slow, or if its breaker is open.
   */
  call<E extends AnyEndpoint>(
    endpoint: E,
    input: CallInput<E>,
    context: CallContext,
  ): Promise<ServiceResponseOf<E>>;
  /** Closes the idle connections. */
  close(): void;
};

const DEFAULT_TIMEOUT_MS = 2_500;
/** Shorter than any service keeps an idle connection, also while it drains (STOP_DRAIN_MS), so that no request is sent on one that closes. */
const IDLE_SOCKET_MS = 3_000;

const BREAKER = {
  // The request has a timeout of its own, which also cancels it; the breaker's would only stop waiting.
  timeout: false,
  volumeThreshold: 10,
  errorThresholdPercentage: 50,
  rollingCountTimeout: 5_000,
  resetTimeout: 1_000,
} as const;

/** A client of another service: got behind a circuit breaker, which opens when the service is unavailable, never for client errors. */
export function createServiceClient(options: ServiceClientOptions): ServiceClient {
  const { name, log, metrics, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const agent = new Agent({ keepAlive: true, timeout: IDLE_SOCKET_MS, maxFreeSockets: 32 });
  const send = createSendRequest(agent, options.baseUrl);
  const breaker = new CircuitBreaker(
    (request: ServiceRequest) => send(request, AbortSignal.timeout(timeoutMs)),
    {
      ...BREAKER,
      name,
    },
  );
  const setGauge = (isOpen: boolean): void => metrics?.circuitOpen.set({ peer: name }, Number(isOpen));
  setGauge(false);
  breaker.on('open', () => {
    setGauge(true);
    log.warn({ peer: name }, 'circuit breaker opened');
  });
  // The next request is sent and decides: until then none is rejected.
  breaker.on('halfOpen', () => setGauge(false));
  breaker.on('close', () => {
    setGauge(false);
    log.info({ peer: name }, 'circuit breaker closed');
  });
  const readers = new WeakMap<AnyEndpoint, (response: HttpResponse) => unknown>();

  const readerOf = (endpoint: AnyEndpoint): ((response: HttpResponse) => unknown) => {
    const known = readers.get(endpoint) ?? createReadResponse(endpoint, name);
    readers.set(endpoint, known);
    return known;
  };

  return {
    call: async <E extends AnyEndpoint>(endpoint: E, input: CallInput<E>, context: CallContext) => {
      const request = toServiceRequest(endpoint, input, headersOf(options, context));
      const response = await breaker.fire(request).catch((cause: unknown) => {
        throw unavailable(name, cause);
      });
      if (response.statusCode >= 400) throw errorOf(response, name);
      return readerOf(endpoint)(response) as ServiceResponseOf<E>;
    },
    close: () => {
      breaker.shutdown();
      agent.destroy();
    },
  };
}

/** `createServiceClient` that is closed when the process stops. */
export function connectService(
  options: ServiceClientOptions,
  lifecycle: Pick<Lifecycle, 'onStop'>,
): ServiceClient {
  const client = createServiceClient(options);
  lifecycle.onStop(`client of ${options.name}`, client.close);
  return client;
}

function headersOf(
  { internalTokens, caller, name }: ServiceClientOptions,
  context: CallContext,
): Record<string, string> {
  const { workspaceId, actor = { kind: 'service', id: caller }, address, requestId = newId() } = context;
  const claims = { workspaceId, actor, ...(address === undefined ? {} : { address }) };
  return {
    ...traceHeaders(),
    'x-request-id': requestId,
    [INTERNAL_TOKEN_HEADER]: internalTokens.mint(name, claims),
  };
}
