import { makePeople } from '../src/contacts.ts';
import { createDeliveries, expectedEvents } from '../src/deliveries.ts';
import type { Results } from '../src/results.ts';
import type { Call } from '../src/single-call.ts';

const AT = '2026-01-31T08:00:00.000Z';
/** The `n`th id. */
const uuid = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`;

const aCall = (n: number, given: Partial<Call>): Call => ({
  id: uuid(n),
  workspace_id: uuid(0),
  agent_id: uuid(0),
  agent_name: 'Demo',
  call_type: 'outbound',
  from_number: '+12125550150',
  to_number: '+12125550149',
  status: 'completed',
  duration: 13,
  cost: 3,
  started_at: AT,
  answered_at: AT,
  ended_at: AT,
  disconnection_reason: 'user_hangup',
  created_at: AT,
  updated_at: AT,
  phone_number_id: null,
  call_sid: null,
  recording_url: null,
  recording_sid: null,
  summary: 'A long summary of a call in which many things were said, and more than fit into a table.',
  transcript: '',
  enhanced_transcript: null,
  transcript_json: null,
  transcript_fix_count: 0,
  analysis_data: { interested: true },
  dynamic_variables: {},
  metadata: {},
  campaign_id: null,
  unresolved_placeholders: [],
  ...given,
});

/** A run in which everything went as it should, for tests. */
export function goodRun() {
  const ids = Array.from({ length: 60 }, (_, n) => n + 2).values();
  const single = aCall(1, {});
  const people = makePeople('+1212555', 25).map((person) => {
    const reason = person.outcomes[0] as Call['disconnection_reason'];
    const unanswered = reason?.startsWith('dial_')
      ? { answered_at: null, duration: 0, cost: 0, summary: null }
      : {};
    const given = { to_number: person.phoneNumber, disconnection_reason: reason, ...unanswered };
    const calls = Array.from({ length: person.attempts }, () => aCall(ids.next().value ?? 0, given));
    const { status, attempts } = person;
    const contact = {
      id: uuid(0),
      phone_number: person.phoneNumber,
      contact_name: person.name,
      custom_data: {},
      status,
      attempts,
      last_call_id: calls.at(-1)?.id ?? null,
      last_outcome: reason,
      next_attempt_at: null,
    };
    return { person, contact, calls };
  });
  const succeeded = people.filter(({ contact }) => contact.status === 'succeeded').length;
  const campaign = {
    campaign_id: uuid(0),
    campaign_name: 'Demo',
    agent_id: single.agent_id,
    phone_number: single.from_number,
    status: 'completed' as const,
    total_contacts: 25,
    completed_calls: 25,
    successful_calls: succeeded,
    failed_calls: 25 - succeeded,
    started_at: AT,
    business_hours: null,
    completed_at: AT,
    scheduled_at: null,
    created_at: AT,
    updated_at: AT,
  };
  const results: Results = {
    single,
    campaign,
    people,
    calls: [single, ...people.flatMap(({ calls }) => calls)],
  };
  const deliveries = createDeliveries();
  for (const call of results.calls) {
    for (const event of expectedEvents(call)) {
      deliveries.note({
        webhookId: `${call.id}-${event}`,
        signed: true,
        content: { event, call_id: call.id, payload: { data: { transcript: TRANSCRIPT, tools: TOOLS } } },
      });
    }
  }
  return { results, receiver: { deliveries, toolRequests: { all: 3, signed: 3 } } };
}

const TRANSCRIPT = [
  { role: 'agent', content: 'Hello! '.repeat(20), timestamp: AT },
  {
    role: 'tool',
    tool_name: 'check_availability',
    query: '{"wish":"Monday at 9 would work for me."}',
    status_code: 200,
    result: { free: true },
    error: null,
    documents: null,
    timestamp: AT,
  },
];
const TOOLS = [
  {
    tool_name: 'check_availability',
    tool_type: 'custom',
    description: null,
    args: {},
    result: {},
    error: null,
    executed_at: AT,
    slow: false,
  },
];
