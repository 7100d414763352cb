export { bufferedOutput } from './buffered-output.ts';
export { createLogger, type Log } from './create-logger.ts';
export { scrub } from './scrub.ts';
