import type { Receiver } from '@parley/demo';
import { eventually } from '@parley/testkit';
import { type Api, createApi, type Platform, type Workspace } from '@parley/testkit/stage';

const NUMBER = '+12125550120';
const ANALYZED = { timeoutMs: 120_000 };

/** What the caller says; the built-in engine notes names, numbers and days, and uses the tool once. */
const SCRIPT = [
  'Hello, my name is Grace Hopper, and my order number is 70012.',
  'Yes, that is right.',
  'Is there availability on Friday at 10?',
  'Great, I am interested. Goodbye!',
];

/** An inbound call with everything that the page of a call can show: a recording, a tool, a summary, an analysis, webhooks. Returns its id. */
export async function callFrontDesk(
  platform: Platform,
  workspace: Workspace,
  { webhookUrl, toolUrl }: Receiver,
): Promise<string> {
  const api = createApi(platform.url, workspace.private_key);
  await connectFrontDesk(api, webhookUrl, toolUrl);
  const caller = { from_number: '+12125550142', to_number: NUMBER, script: SCRIPT };
  const { call_id: id } = await api.data('POST', '/simulator/inbound', caller);
  await eventually(async () => {
    const events: { event: string; status: string }[] = await api.data('GET', `/v2/call/${id}/webhooks`);
    if (!events.some(({ event, status }) => event === 'call_analyzed' && status === 'delivered'))
      throw new Error(`not analyzed yet: ${JSON.stringify(events)}`);
  }, ANALYZED);
  return id;
}

async function connectFrontDesk(api: Api, webhookUrl: string, toolUrl: string): Promise<void> {
  const { id } = await api.data('POST', '/v1/assistant', {
    agent_name: 'Front desk',
    config: {
      systemPrompt:
        'You answer the phone of Freewheel, a bicycle workshop. Agree on when a bicycle is picked up.',
      firstMessage: 'Freewheel, good morning. How can I help?',
      settings: {
        webhookUrl,
        postCallAnalysis: {
          enabled: true,
          fields: [
            { type: 'string', name: 'customer_name', description: 'The name that the customer gave' },
            { type: 'number', name: 'order_number', description: 'The order number that the customer named' },
            { type: 'boolean', name: 'interested', description: 'Whether the customer is interested' },
            {
              type: 'enum',
              name: 'pick_up_day',
              description: 'The day on which the customer comes',
              choices: ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'],
            },
          ],
        },
      },
    },
  });
  await api.data('POST', '/v1/tool/custom', {
    agent_id: id,
    tool_name: 'check_availability',
    description: 'Checks whether the workshop is open when the customer wants to come',
    endpoint_url: toolUrl,
    http_method: 'POST',
    parameters: {
      type: 'object',
      properties: { wish: { type: 'string' }, hour: { type: 'integer', minimum: 8, maximum: 18 } },
      required: ['wish', 'hour'],
    },
  });
  await api.data('POST', '/v1/phone-number/sip', {
    phone_number: NUMBER,
    termination_uri: 'sip.example.com',
    nickname: 'Front desk',
    inbound_agent_id: id,
  });
}
