import { isSpanContextValid, trace } from '@opentelemetry/api';
import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino';
import { hideSecrets } from './hide-secrets.ts';
import { serializeError } from './serialize-error.ts';

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

/** What every part takes as `log`: a pino logger, often a child with `requestId`, `workspaceId` or `callId`. */
export type Log = Logger;

export type LoggerOptions = { service: string; level: LogLevel; destination?: DestinationStream };

/**
 * The logger of a process: JSON lines on stdout. Callers list the fields that they log; requests and answers are
 * never dumped, errors are reduced to what explains them, and names of secrets are cut as a second net.
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

/** The trace that a line belongs to, where one is kept: a log and its trace are found by each other. */
function traceOfLine(): { traceId?: string } {
  const context = trace.getActiveSpan()?.spanContext();
  return context && isSpanContextValid(context) ? { traceId: context.traceId } : {};
}

function drop(): undefined {
  return undefined;
}
