import type { TimelineEntry } from '@parley/contracts';

/** The stored fields of an entry; the others come from the call. */
type Detail<T extends TimelineEntry['type'], Fields extends keyof Extract<TimelineEntry, { type: T }>> = Pick<
  Extract<TimelineEntry, { type: T }>,
  Fields
>;

/**
 * An event of a call that is neither a turn nor a tool execution: a row of `call_events` [calls.11]. `at` is when it
 * happened, not when it became known.
 */
export type TimelineEvent = { at: Date } & (
  | { type: 'queued' | 'dialing' | 'ringing' | 'answered' | 'machine_detected' }
  | { type: 'transfer'; detail: Detail<'transfer', 'destination' | 'transfer_type' | 'ok' | 'error'> }
  | { type: 'dtmf'; detail: Detail<'dtmf', 'digits' | 'direction'> }
  | {
      type: 'inbound_webhook';
      detail: Detail<'inbound_webhook', 'outcome' | 'status' | 'error' | 'agent_id'>;
    }
  | { type: 'ended'; detail: Detail<'ended', 'cause' | 'provider_code' | 'provider_text'> }
  | { type: 'recording'; detail: Detail<'recording', 'state'> }
  | { type: 'recording_stored'; detail: Detail<'recording_stored', 'recording_sid' | 'seconds' | 'bytes'> }
  | { type: 'transcription_failed'; detail: Detail<'transcription_failed', 'error'> }
  | { type: 'analyzed'; detail: Detail<'analyzed', 'edition' | 'complete'> }
);
