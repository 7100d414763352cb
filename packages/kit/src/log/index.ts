export { bufferedOutput } from './buffered-output.ts';
export { createLogger, type Log, type LoggerOptions, type LogLevel } from './create-logger.ts';
export { scrub } from './scrub.ts';
