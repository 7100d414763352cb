import { hasNoResponse } from './describe-error.ts';
import { newId } from './new-id.ts';

const values = new Map<string, string>();

/**
 * What makes a request without a draft the same one, such as its `Idempotency-Key`, until it is answered: if its response was lost, the
 * next attempt must not do it again, also when its dialog was closed in between [dashboard.35].
 */
export function ofUnanswered(name: string, make: () => string = newId): string {
  const value = values.get(name) ?? make();
  values.set(name, value);
  return value;
}

/** Without an error, or with the error of a response: the next request is another one. */
export function noteAnswer(name: string, error: unknown): void {
  if (!hasNoResponse(error)) values.delete(name);
}
