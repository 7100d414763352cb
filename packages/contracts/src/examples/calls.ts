import {
  createPhoneCall,
  fixTranscript,
  getCall,
  getCallTimeline,
  legacyCalls,
  listCalls,
  stopCall,
} from '../endpoints/calls.ts';
import {
  connectSipNumber,
  getPhoneNumber,
  importTelcoNumber,
  listPhoneNumbers,
  pointTelcoNumber,
  updatePhoneNumber,
} from '../endpoints/phone-numbers.ts';
import { pauseRecording, resumeRecording } from '../endpoints/recordings.ts';
import { callIn } from '../endpoints/simulator.ts';
import {
  createWebCall,
  createWidgetCall,
  describeWebCall,
  joinWebCall,
  leaveWebCall,
  offerWebCall,
  readWebCall,
  sendWebCallMessage,
} from '../endpoints/web-calls.ts';
import { example } from './example.ts';
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
  STARTED,
  SUMMARY,
  TRANSCRIPT,
} from './story.ts';

const listed = {
  id: IDS.call,
  workspace_id: IDS.workspace,
  agent_id: IDS.assistant,
  agent_name: 'Ada',
  call_type: 'outbound' as const,
  from_number: NUMBER,
  to_number: CALLEE,
  status: 'completed' as const,
  duration: 33,
  cost: 6,
  started_at: STARTED,
  answered_at: ANSWERED,
  ended_at: ENDED,
  disconnection_reason: 'user_hangup' as const,
  created_at: CREATED,
  updated_at: ANALYZED,
};

const call = {
  ...listed,
  phone_number_id: IDS.phoneNumber,
  call_sid: CALL_SID,
  recording_url: RECORDING_URL,
  recording_sid: RECORDING_SID,
  summary: SUMMARY,
  transcript: TRANSCRIPT,
  enhanced_transcript: null,
  transcript_json: {
    conversation: [
      { role: 'agent', content: GREETING },
      { role: 'user', content: CONSENT },
    ],
  },
  transcript_fix_count: 0,
  analysis_data: { confirmed: true },
  dynamic_variables: { contact_name: 'Grace' },
  metadata: { order: 4711 },
  campaign_id: null,
  unresolved_placeholders: [],
};

const notYet = {
  duration: null,
  cost: null,
  answered_at: null,
  ended_at: null,
  disconnection_reason: null,
  recording_url: null,
  recording_sid: null,
  summary: null,
  transcript: null,
  transcript_json: null,
  analysis_data: null,
  updated_at: CREATED,
};
const queuedCall = { ...call, ...notYet, status: 'queued' as const, started_at: null, call_sid: null };

const webCall = {
  ...queuedCall,
  call_type: 'web' as const,
  status: 'ringing' as const,
  from_number: null,
  to_number: null,
  phone_number_id: null,
  started_at: CREATED,
  access_token: 'eyJjYWxsIjoiMDE5N2YzYzAifQ.c2lnbmF0dXJl',
  server_url: 'https://parley.example.com',
  expires_at: '2026-03-14T09:27:53.589Z',
};
const liveWebCall = { call_id: IDS.call, status: 'in-progress' as const, disconnection_reason: null };

const legacyCall = {
  id: IDS.call,
  call_sid: CALL_SID,
  call_type: 'outbound' as const,
  from_number: NUMBER,
  to_number: CALLEE,
  status: 'completed' as const,
  duration: 33,
  disconnection_reason: 'user_hangup' as const,
  started_at: STARTED,
  ended_at: ENDED,
  created_at: CREATED,
  agent_id: IDS.assistant,
  phone_number_id: IDS.phoneNumber,
  summary: SUMMARY,
  analysis_data: { confirmed: true },
};

const phoneNumber = {
  id: IDS.phoneNumber,
  workspace_id: IDS.workspace,
  phone_number: NUMBER,
  nickname: 'Reception',
  provider: 'hosted_sip' as const,
  is_active: true,
  max_cps: 1,
  inbound_agent_id: null,
  outbound_agent_id: IDS.assistant,
  inbound_webhook_url: null,
  inbound_agent_name: null,
  outbound_agent_name: 'Ada',
  trunk: {
    registration: 'registered' as const,
    health: 'up' as const,
    reason: null,
    since: '2026-03-14T09:15:03.102774+00:00',
    checked_at: '2026-03-14T09:20:03.441209+00:00',
  },
  created_at: '2026-03-14T09:15:02.731406+00:00',
  updated_at: '2026-03-14T09:15:02.731406+00:00',
};
const telcoNumber = { ...phoneNumber, provider: 'telco' as const, trunk: null };

export const callExamples = [
  example(createPhoneCall, queuedCall),
  example(getCall, call),
  example(fixTranscript, { ...call, enhanced_transcript: TRANSCRIPT, transcript_fix_count: 1 }),
  example(stopCall, { ...call, disconnection_reason: 'agent_hangup' }),
  example(pauseRecording, { id: IDS.call, recording: 'paused' }),
  example(resumeRecording, { id: IDS.call, recording: 'recording' }),
  example(listCalls, listed),
  example(getCallTimeline, [
    {
      at: CREATED,
      type: 'queued',
      message: `The call waits to be dialed from ${NUMBER} to ${CALLEE}.`,
      from_number: NUMBER,
      to_number: CALLEE,
    },
    { at: ANSWERED, type: 'answered', message: `${CALLEE} picked up.`, call_sid: CALL_SID },
    {
      at: ANSWERED,
      type: 'turn',
      message: `The assistant said: "${GREETING}"`,
      role: 'agent',
      content: GREETING,
    },
    {
      at: ENDED,
      type: 'ended',
      message: 'The contact hung up after 33 seconds.',
      disconnection_reason: 'user_hangup',
      duration: 33,
      cost: 6,
      cause: 'user_hangup',
    },
    { at: ANALYZED, type: 'analyzed', message: 'The call was analyzed.', edition: 1, complete: true },
  ]),
  example(legacyCalls, { calls: [legacyCall], pagination: { limit: 50, offset: 0, hasMore: false } }),
  example(createWebCall, webCall),
  example(createWidgetCall, webCall),
  example(describeWebCall, { ...liveWebCall, status: 'ringing', audio: true, ice_servers: [] }),
  example(offerWebCall, { ...liveWebCall, sdp: 'v=0\r\n…' }),
  example(joinWebCall, liveWebCall),
  example(sendWebCallMessage, liveWebCall),
  example(readWebCall, {
    ...liveWebCall,
    messages: [{ seq: 1, role: 'agent', content: 'Hello Grace, this is Ada.', at: ANSWERED }],
  }),
  example(leaveWebCall, { ...liveWebCall, status: 'completed', disconnection_reason: 'user_hangup' }),
  example(callIn, { call_id: IDS.call }),
  example(connectSipNumber, phoneNumber),
  example(getPhoneNumber, phoneNumber),
  example(updatePhoneNumber, {
    ...phoneNumber,
    max_cps: 0.5,
    inbound_agent_id: IDS.assistant,
    inbound_agent_name: 'Ada',
  }),
  example(listPhoneNumbers, phoneNumber),
  example(importTelcoNumber, telcoNumber),
  example(pointTelcoNumber, telcoNumber),
];
