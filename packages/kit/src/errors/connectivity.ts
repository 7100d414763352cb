import { AppError } from './app-error.ts';
import { causesOf } from './causes.ts';

const SOCKET_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'ERR_SOCKET_CLOSED',
  'ERR_STREAM_DESTROYED',
  'UND_ERR_SOCKET',
  'UND_ERR_CONNECT_TIMEOUT',
  'EOPENBREAKER',
]);
/** Postgres is stopping, starting or full, or has ended an idle transaction; class 08 is added below. */
const POSTGRES_CODES = new Set(['57P01', '57P02', '57P03', '53300', '25P03']);
const PRISMA_CODES = new Set(['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2037']);
/** Kinds of a driver adapter's error. */
const ADAPTER_KINDS = new Set([
  'DatabaseNotReachable',
  'ConnectionClosed',
  'SocketTimeout',
  'TooManyConnections',
  'TlsConnectionError',
]);
/** RabbitMQ's connection-forced and internal-error close codes. */
const AMQP_CODES = new Set([320, 541]);
/** Messages of pg, pg-pool, amqplib and ioredis for errors without a code. */
const MESSAGES = [
  /^Connection terminated/,
  /^Query read timeout$/,
  /^timeout exceeded when trying to connect$/,
  /^timeout expired$/,
  /^Client has encountered a connection error and is not queryable/,
  /Unable to start a transaction in the given time/,
  /^(Connection|Channel) (closed|closing|ended)/,
  /^Socket closed abruptly/,
  /^Heartbeat timeout$/,
  /^Unexpected close$/,
  /^Connection is closed\.?$/,
  /^Stream isn't writeable and enableOfflineQueue options is false$/,
  /^Command timed out$/,
  /^(LOADING|READONLY|CLUSTERDOWN|MASTERDOWN) /,
  /^Reached the max retries per request limit/,
];

/**
 * Whether Postgres, RabbitMQ, Redis or another service cannot be reached at the moment: retry, without counting the attempt. Checks
 * `cause`, the `errors` of an AggregateError and Prisma's adapter errors as well.
 */
export function isConnectivityError(err: unknown): boolean {
  for (const cause of causesOf(err)) {
    // An AppError is already classified; only a 500 may have an outage as its cause.
    if (cause instanceof AppError && cause.status !== 500) return cause.code === 'SERVICE_UNAVAILABLE';
    if (hasCode(cause) || hasMessage(cause)) return true;
  }
  return false;
}

function hasCode({ code, errorCode, originalCode, kind }: Record<string, unknown>): boolean {
  return (
    [code, errorCode, originalCode].some((given) =>
      typeof given === 'string' ? isDownCode(given) : AMQP_CODES.has(Number(given)),
    ) || ADAPTER_KINDS.has(String(kind))
  );
}

function isDownCode(code: string): boolean {
  return (
    SOCKET_CODES.has(code) ||
    POSTGRES_CODES.has(code) ||
    PRISMA_CODES.has(code) ||
    /^08[0-9A-Z]{3}$/.test(code)
  );
}

function hasMessage({ message }: Record<string, unknown>): boolean {
  return typeof message === 'string' && MESSAGES.some((pattern) => pattern.test(message));
}
