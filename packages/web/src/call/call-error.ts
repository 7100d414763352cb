/**
 * `no_microphone`: there is none, or another program has it. `microphone_denied`: the visitor refused it. `microphone_blocked`: the
 * page may not ask, since it is not served over https or a policy forbids it. `not_allowed`: the key may not be used here.
 * `busy`: too many calls. `unavailable`: the assistant can't be reached. `network`: the server can't be reached. `over`: the call
 * has ended, or another browser has joined it. `not_sent`: a message was not accepted, since the assistant has not heard the previous
 * ones yet or the call has reached its maximum of text; the call goes on.
 */
export type CallErrorCode =
  | 'no_microphone'
  | 'microphone_denied'
  | 'microphone_blocked'
  | 'not_allowed'
  | 'busy'
  | 'unavailable'
  | 'network'
  | 'over'
  | 'not_sent';

/** Why a call could not be started or continued. */
export class CallError extends Error {
  readonly code: CallErrorCode;

  constructor(code: CallErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CallError';
    this.code = code;
  }
}
