export { createLogger, type Log, type LoggerOptions, type LogLevel } from './create-logger.ts';
export { gatheredOutput } from './gathered-output.ts';
export { scrub } from './scrub.ts';
export { type LoggedError, serializeError } from './serialize-error.ts';
