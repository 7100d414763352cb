import type { AssistantSnapshot, BodyOf, testAssistant } from '@parley/contracts';
import { newId } from '@parley/kit/ids';
import type { Call } from '../sessions/call.ts';

/** Our number, fictional, if the test names none. */
const OWN_NUMBER = '+15550100001';
const CUSTOMER_NUMBER = '+15550100002';

/** The call of a test for its tools; it is not stored. */
export function testCall(
  workspaceId: string,
  { agent_id: agentId, version }: AssistantSnapshot,
  body: Pick<BodyOf<typeof testAssistant>, 'call_type' | 'dynamic_variables' | 'test_id' | 'customer_number'>,
  now: Date,
): Call {
  const { call_type: callType, dynamic_variables: dynamicVariables, test_id: id = newId() } = body;
  const customer = body.customer_number ?? CUSTOMER_NUMBER;
  const numbers = {
    web: { fromNumber: null, toNumber: null },
    inbound: { fromNumber: customer, toNumber: OWN_NUMBER },
    outbound: { fromNumber: OWN_NUMBER, toNumber: customer },
  }[callType];
  return {
    id,
    workspaceId,
    callType,
    phoneNumberId: null,
    ...numbers,
    agentId,
    agentVersion: version,
    agentWebhookUrl: null,
    campaign: null,
    dynamicVariables,
    rateCents: 0,
    fence: 0,
    createdAt: now,
    stopCause: null,
    isTest: true,
    state: {
      phase: 'up',
      callSid: null,
      startedAt: now,
      answeredAt: now,
      endedAt: null,
      duration: null,
      cost: null,
      reason: null,
      machineDetected: false,
      voicemailMessageLeft: false,
      retryable: false,
    },
  };
}
