export { type AckDecision, ackDecision } from './ack-decision.ts';
export {
  AppError,
  type AppErrorOptions,
  conflict,
  notFound,
  unlessNotFound,
  validationFailed,
} from './app-error.ts';
export { causesOf } from './causes.ts';
export { isConnectivityError } from './connectivity.ts';
export { type ErrorBody, type HttpError, toHttpError } from './to-http-error.ts';
export { parseInput, zodDetails } from './validation.ts';
