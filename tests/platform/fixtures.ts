import type { Receiver } from '@parley/testkit';
import type { Platform } from '@parley/testkit/stage';

let serial = 0;

/** A different number at each call. */
export function ownNumber(): string {
  serial += 1;
  return `+1555${String(Math.floor(Math.random() * 1000)).padStart(3, '0')}${String(process.pid % 100).padStart(2, '0')}${String(serial).padStart(2, '0')}`;
}

/** An assistant with a tool and a webhook at the receiver, and a number that it calls from. */
export async function setUpAssistant({ api }: Platform, receiver: Receiver, maxCps = 50) {
  const assistant = await api.data('POST', '/v1/assistant', {
    agent_name: 'Ada',
    config: {
      systemPrompt: 'You call {{contact_name}} about the appointment on {{day}}.',
      firstMessage: 'Hello {{contact_name}}, this is Ada.',
      settings: {
        webhookUrl: `${receiver.url}/hook`,
        postCallAnalysis: {
          fields: [
            { type: 'boolean', name: 'interested', description: 'Whether the person is interested' },
            { type: 'number', name: 'order_number', description: 'The number of the order' },
          ],
        },
      },
    },
  });
  receiver.script('/tool', { body: { available: true } });
  const tool = await api.data('POST', '/v1/tool/custom', {
    agent_id: assistant.id,
    tool_name: 'check_availability',
    description: 'Checks whether a day is available for an appointment',
    endpoint_url: `${receiver.url}/tool`,
    http_method: 'post',
    headers: { 'x-secret': 'canary-of-the-tool' },
    parameters: { type: 'object', properties: { day: { type: 'string' } }, required: ['day'] },
  });
  const number = await api.data('POST', '/v1/phone-number/sip', {
    phone_number: ownNumber(),
    termination_uri: 'sip.example.com',
    outbound_agent_id: assistant.id,
    max_cps: maxCps,
  });
  return { assistant, tool, number };
}

/** Everything that the receiver's hook got, by call, in the order of arrival. */
export function eventsByCall(receiver: Receiver): Map<string, string[]> {
  const calls = new Map<string, string[]>();
  for (const { body } of receiver.requests('/hook')) {
    const { call_id, event } = JSON.parse(body);
    calls.set(call_id, [...(calls.get(call_id) ?? []), event]);
  }
  return calls;
}
