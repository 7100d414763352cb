import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino';
import { serializeError } from './serialize-error.ts';

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

/** What every part takes as `log`: a pino logger, often a child with `requestId`, `workspaceId` or `callId`. */
export type Log = Logger;

export type LoggerOptions = { service: string; level: LogLevel; destination?: DestinationStream };

const SECRET_FIELDS = [
  'authorization',
  'cookie',
  'password',
  'secret',
  'token',
  'api_key',
  'apiKey',
  'access_token',
  'private_key',
  'webhook_secret',
  'telco_auth_token',
  'sip_trunk_auth_password',
];
const SECRET_HEADERS = ['x-api-key', 'set-cookie', 'x-parley-internal'];

/**
 * The logger of a process: JSON lines on stdout. Callers list the fields that they log; requests and answers are
 * never dumped, errors are reduced to what explains them, and names of secrets are cut as a second net.
 */
export function createLogger({ service, level, destination }: LoggerOptions): Log {
  const options = {
    level,
    base: { service, pid: process.pid },
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: serializeError, error: serializeError, req: drop, res: drop, headers: drop },
    redact: { paths: redactPaths(), censor: '[redacted]' },
  };
  return destination ? pino(options, destination) : pino(options);
}

function redactPaths(): string[] {
  const names = [...SECRET_FIELDS, ...SECRET_HEADERS].map((name) => `["${name}"]`);
  return names.flatMap((name) => [name, `*${name}`, `*.*${name}`]);
}

function drop(): undefined {
  return undefined;
}
