import type { CallStatus, CallType } from '@parley/contracts';
import { type Ending, endingOf, stateOf } from './how-it-ended.ts';
import styles from './outcome.module.css';
import './tokens.css';

type Call = { status: CallStatus; call_type: CallType; disconnection_reason?: string | null };

/** How a call ended, or where it is now: a dot and words. */
export function CallOutcome({ call }: { call: Call }) {
  return <Ended ending={stateOf({ disconnection_reason: null, ...call })} />;
}

/** The outcome of a contact's last attempt. */
export function ReasonOutcome({ reason }: { reason: string }) {
  return <Ended ending={endingOf(reason)} />;
}

function Ended({ ending: { label, tone } }: { ending: Ending }) {
  return (
    <span className={styles.outcome} data-tone={tone}>
      <span className={styles.dot} aria-hidden />
      <span className="truncate">{label}</span>
    </span>
  );
}
