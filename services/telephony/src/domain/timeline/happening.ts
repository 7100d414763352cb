import type { TimelineEntry } from '@parley/contracts';

/** What of an entry is kept; the rest is told by the call itself. */
type Detail<T extends TimelineEntry['type'], Fields extends keyof Extract<TimelineEntry, { type: T }>> = Pick<
  Extract<TimelineEntry, { type: T }>,
  Fields
>;

/**
 * Something that happened to a call and that no turn and no tool execution tells of: a row of `call_events` (D6.12).
 * `at` is when it happened, not when it became known.
 */
export type Happening = { at: Date } & (
  | { type: 'queued' | 'dialing' | 'ringing' | 'answered' | 'machine_detected' }
  | { type: 'transfer'; detail: Detail<'transfer', 'destination' | 'transfer_type' | 'ok' | 'error'> }
  | {
      type: 'inbound_webhook';
      detail: Detail<'inbound_webhook', 'outcome' | 'status' | 'error' | 'agent_id'>;
    }
  | { type: 'ended'; detail: Detail<'ended', 'cause'> }
  | { type: 'recording_stored'; detail: Detail<'recording_stored', 'recording_sid' | 'seconds' | 'bytes'> }
  | { type: 'analyzed'; detail: Detail<'analyzed', 'edition' | 'complete'> }
);
