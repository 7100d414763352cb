import type { BodyOf, createPhoneCall } from '@parley/contracts';
import { newId } from '@parley/kit/ids';
import type { CallRecord } from '../call-history/call-record.ts';
import type { PhoneNumber } from '../numbers/phone-number.ts';
import type { AssistantBrief, WorkspaceLimits } from '../ports.ts';
import { toUnstartedRecord, type UnstartedCall } from './unstarted-record.ts';

/** A call that waits to be dialled. */
export type QueuedCall = Omit<UnstartedCall, 'workspaceId'> & {
  number: PhoneNumber;
  toNumber: string;
  rateCents: number;
};

type Parts = {
  body: BodyOf<typeof createPhoneCall>;
  number: PhoneNumber;
  agent: AssistantBrief;
  limits: WorkspaceLimits;
  now: Date;
};

export function toQueuedCall({ body, number, agent, limits, now }: Parts): QueuedCall {
  return {
    id: newId(),
    number,
    agent,
    toNumber: body.to_number,
    dynamicVariables: body.dynamic_variables ?? body.dynamicVariables ?? {},
    metadata: body.metadata,
    rateCents: limits.rateCents,
    createdAt: now,
  };
}

/** The call as it reads from now on: nothing has happened to it yet. */
export function toQueuedRecord({ number, toNumber, ...call }: QueuedCall): CallRecord {
  return toUnstartedRecord(
    { ...call, workspaceId: number.workspaceId },
    {
      call_type: 'outbound',
      from_number: number.phoneNumber,
      to_number: toNumber,
      phone_number_id: number.id,
      phone_number: number.phoneNumber,
      nickname: number.nickname,
    },
  );
}
