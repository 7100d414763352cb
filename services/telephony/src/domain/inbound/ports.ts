import type { Sql } from '@parley/kit/db';
import type { Call } from '../calls/call.ts';
import type { Change, Owner } from '../calls/ports.ts';
import type { InboundRing } from '../carrier/port.ts';
import type { PhoneNumber } from '../numbers/phone-number.ts';
import type { Happening } from '../timeline/happening.ts';

/** Numbers of any workspace: a call that comes in says no more than whom it is for. */
export type InboundNumbers = {
  findByDigits(phoneNumber: string): Promise<PhoneNumber | undefined>;
  findById(id: string): Promise<PhoneNumber | undefined>;
};

/** The number that was called; no id: it was deleted before anybody took the call. */
export type CalledNumber = Pick<PhoneNumber, 'workspaceId' | 'inboundAgentId'> & { id: string | null };

export type NewInboundCall = { ring: InboundRing; number: CalledNumber; rateCents: number; now: Date };

/** Who answers a call, and what is told to the assistant. */
export type Answerer = {
  agentId: string;
  agentVersion: number;
  agentWebhookUrl: string | null;
  dynamicVariables: Record<string, unknown>;
  unresolvedPlaceholders: readonly string[];
};

export type InboundCalls = {
  /** Makes those who add calls to the workspace wait, and counts its calls that are not completed (D1.6). */
  countExactly(tx: Sql, workspaceId: string): Promise<number>;
  /** Writes the call as ringing, in this worker's hands or in nobody's; undefined when it is there already. */
  insert(tx: Sql, call: NewInboundCall, workerId: string | null): Promise<Call | undefined>;
  end(tx: Sql, call: Call, change: Change, now: Date): Promise<void>;
  isKnown(callId: string): Promise<boolean>;
  /** Whether the call is over. */
  isOver(callId: string): Promise<boolean>;
  /** Writes who answers. False: the call is not this worker's any more. */
  settle(owner: Owner, call: Call, answerer: Answerer, happenings: readonly Happening[]): Promise<boolean>;
  /** Puts something on the call's timeline. False: the call is not this worker's any more. */
  note(owner: Owner, call: Call, happenings: readonly Happening[]): Promise<boolean>;
};
