import type { BodyInputOf, createAssistant, createCustomTool } from '@parley/contracts';
import type { Pace } from './pace.ts';

export const TOOL_NAME = 'check_availability';

const SYSTEM_PROMPT =
  'You are the assistant of Freewheel, a bicycle workshop. You call {{contact_name}}, whose {{bicycle}} (order {{order_number}}) ' +
  'has been repaired, and agree on when it is picked up. Be brief and friendly.';

/** The body of the demo's assistant: placeholders, short limits, and analysis fields of every type. */
export function demoAssistant(webhookUrl: string, pace: Pace): BodyInputOf<typeof createAssistant> {
  const { ringTimeout, silenceTimeout, maxCallDuration } = pace;
  return {
    agent_name: 'Mia from Freewheel',
    config: {
      systemPrompt: SYSTEM_PROMPT,
      firstMessage: 'Hello {{contact_name}}, this is Freewheel. Your {{bicycle}} is ready!',
      settings: {
        webhookUrl,
        ringTimeout,
        silenceTimeout,
        maxCallDuration,
        postCallAnalysis: { enabled: true, fields: ANALYSIS_FIELDS },
      },
    },
  };
}

const ANALYSIS_FIELDS = [
  {
    type: 'string',
    name: 'customer_name',
    description: 'The name that the customer gave',
    examples: 'Ada Novak',
  },
  { type: 'number', name: 'order_number', description: 'The order number that the customer named' },
  { type: 'boolean', name: 'interested', description: 'Whether the customer is interested' },
  {
    type: 'enum',
    name: 'pick_up_day',
    description: 'The day on which the customer comes',
    choices: ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'],
  },
];

/** The assistant's tool, called over HTTP during a call [tools.5]. */
export function demoTool(agentId: string, endpointUrl: string): BodyInputOf<typeof createCustomTool> {
  return {
    agent_id: agentId,
    tool_name: TOOL_NAME,
    description:
      'Checks whether the workshop is open when the customer wants to come: Monday, Tuesday, Wednesday, Thursday or Friday',
    endpoint_url: endpointUrl,
    http_method: 'POST',
    parameters: {
      type: 'object',
      properties: {
        wish: { type: 'string', description: 'What the customer said' },
        hour: { type: 'integer', minimum: 8, maximum: 18 },
      },
      required: ['wish'],
    },
    timeout_seconds: 10,
  };
}
