export { ackDecision } from './ack-decision.ts';
export { AppError, conflict, notFound, unlessNotFound, validationFailed } from './app-error.ts';
export { causesOf } from './causes.ts';
export { isConnectivityError } from './connectivity.ts';
export { type ErrorBody, toHttpError } from './to-http-error.ts';
export { parseInput, zodDetails } from './validation.ts';
