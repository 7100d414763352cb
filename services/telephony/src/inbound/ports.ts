import type { SqlClient } from '@parley/kit/db';
import type { TimelineEvent } from '../calls/timeline/timeline-event.ts';
import type { InboundRing } from '../carriers/call-control.ts';
import type { PhoneNumber } from '../numbers/phone-number.ts';
import type { Call } from '../sessions/call.ts';
import type { SelectedAssistant } from '../sessions/event-queue.ts';
import type { Change, Owner } from '../sessions/ports.ts';

/** Finds numbers in any workspace: some carriers report only the called number. */
export type InboundNumbers = {
  findByNumber(workspaceId: string, phoneNumber: string): Promise<PhoneNumber | undefined>;
  /** Also undefined if several workspaces have the number, each on its own trunk. */
  findByDigits(phoneNumber: string): Promise<PhoneNumber | undefined>;
  findById(id: string): Promise<PhoneNumber | undefined>;
};

/** The number that was called; a null id: it has been deleted. */
export type CalledNumber = Pick<PhoneNumber, 'workspaceId' | 'inboundAgentId'> & { id: string | null };

type NewInboundCall = {
  ring: InboundRing;
  carrier: string;
  number: CalledNumber;
  rateCents: number;
  now: Date;
};

/** The assistant of a call, and the variables that its selection adds to those of the call. */
type Selection = Omit<SelectedAssistant, 'dynamicVariables'> & {
  addedVariables: Record<string, unknown>;
  unresolvedPlaceholders: readonly string[];
};

export type InboundCalls = {
  /** Counts the live calls of the workspace; other inserts wait until the transaction ends [general.19]. */
  countExactly(tx: SqlClient, workspaceId: string): Promise<number>;
  /** Inserts the ringing call, held by a worker or by none; undefined if it exists already. */
  insert(tx: SqlClient, call: NewInboundCall, workerId: string | null): Promise<Call | undefined>;
  end(tx: SqlClient, call: Call, change: Change, now: Date): Promise<void>;
  isKnown(callId: string): Promise<boolean>;
  /** Whether the call is over. */
  isOver(callId: string): Promise<boolean>;
  /** Commits the assistant, and with it the phase `ringing`. False: another worker holds the call. */
  selectAssistant(
    owner: Owner,
    call: Call,
    selection: Selection,
    timeline: readonly TimelineEvent[],
  ): Promise<boolean>;
  /** Adds timeline entries. False: another worker holds the call. */
  note(owner: Owner, call: Call, timeline: readonly TimelineEvent[]): Promise<boolean>;
};
