import {
  callAnalyzedEvent,
  callEndedEvent,
  callInboundEvent,
  callStartedEvent,
  toolInvokedEvent,
} from '../shapes/sent-events.ts';
import { sent } from './example.ts';
import {
  ANALYZED,
  ANSWERED,
  CALL_SID,
  CALLEE,
  CONSENT,
  CREATED,
  ENDED,
  GREETING,
  IDS,
  NUMBER,
  RECORDING_SID,
  RECORDING_URL,
  REPLIED,
  STARTED,
  SUMMARY,
  TRANSCRIPT,
} from './story.ts';

const event = { call_id: IDS.call, agent_id: IDS.assistant };
const ofCall = {
  call_type: 'outbound' as const,
  from_number: NUMBER,
  to_number: CALLEE,
  dynamic_variables: { contact_name: 'Grace' },
};
const ofEndedCall = { duration: 33, cost: 6, disconnection_reason: 'user_hangup' } as const;
const turns = [
  { role: 'agent' as const, content: GREETING, timestamp: ANSWERED },
  { role: 'user' as const, content: CONSENT, timestamp: REPLIED },
];

export const eventExamples = [
  sent('call_started', callStartedEvent, {
    ...event,
    event: 'call_started',
    timestamp: ANSWERED,
    payload: { ...ofCall, status: 'started', start_time: STARTED },
  }),
  sent('call_ended', callEndedEvent, {
    ...event,
    event: 'call_ended',
    timestamp: ENDED,
    payload: {
      ...ofCall,
      ...ofEndedCall,
      status: 'completed',
      start_time: STARTED,
      end_time: ENDED,
    },
  }),
  sent('call_analyzed', callAnalyzedEvent, {
    ...event,
    event: 'call_analyzed',
    timestamp: ANALYZED,
    payload: {
      status: 'analyzed',
      data: {
        ...ofCall,
        ...ofEndedCall,
        id: IDS.call,
        workspace_id: IDS.workspace,
        agent_id: IDS.assistant,
        status: 'completed',
        started_at: STARTED,
        ended_at: ENDED,
        recording_url: RECORDING_URL,
        recording_sid: RECORDING_SID,
        call_sid: CALL_SID,
        created_at: CREATED,
        updated_at: ANALYZED,
        transcript: turns,
        transcript_clean: turns,
        summary: SUMMARY,
        analysis_data: { confirmed: true },
        tools: [],
      },
    },
  }),
  sent('tool_invoked', toolInvokedEvent, {
    ...event,
    event: 'tool_invoked',
    timestamp: REPLIED,
    payload: {
      tool_name: 'find_slot',
      tool_call_id: '0197f3c0-9a41-7c27-b0d3-8e5f61a4c210',
      args: { day: 'Thursday' },
      call: {
        call_type: 'outbound',
        customer_number: CALLEE,
        dynamic_variables: { contact_name: 'Grace' },
        transcript: TRANSCRIPT,
        transcript_object: turns,
      },
    },
  }),
  sent('call_inbound', callInboundEvent, {
    ...event,
    event: 'call_inbound',
    timestamp: CREATED,
    payload: { from_number: CALLEE, to_number: NUMBER, phone_number_id: IDS.phoneNumber },
  }),
];
