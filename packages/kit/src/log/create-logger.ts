import { isSpanContextValid, trace } from '@opentelemetry/api';
import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino';
import { hideSecrets } from './hide-secrets.ts';
import { serializeError } from './serialize-error.ts';

type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

/** A pino logger, often a child with `requestId`, `workspaceId` or `callId`. */
export type Log = Logger;

export type LoggerOptions = { service: string; level: LogLevel; destination?: DestinationStream };

/**
 * The logger of a process: JSON lines on stdout. Callers name the fields that they log. Requests and responses are dropped, errors are
 * reduced to type, message, code, stack and causes, and values under names of secrets are redacted as a second line of defense.
 */
export function createLogger({ service, level, destination }: LoggerOptions): Log {
  const options = {
    level,
    base: { service, pid: process.pid },
    timestamp: stdTimeFunctions.isoTime,
    mixin: traceOfLine,
    formatters: { level: (label: string) => ({ level: label }), log: hideSecrets },
    serializers: { err: serializeError, error: serializeError, req: drop, res: drop, headers: drop },
  };
  return destination ? pino(options, destination) : pino(options);
}

/** The id of the current trace, which connects logs and traces. */
function traceOfLine(): { traceId?: string } {
  const context = trace.getActiveSpan()?.spanContext();
  return context && isSpanContextValid(context) ? { traceId: context.traceId } : {};
}

function drop(): undefined {
  return undefined;
}
