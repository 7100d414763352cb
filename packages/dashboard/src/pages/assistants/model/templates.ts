import type { JsonObject } from './json.ts';

export type Template = {
  id: string;
  name: string;
  /** What the assistant is for, in one sentence. */
  purpose: string;
  config: JsonObject;
};

const PHONE_STYLE = `# Style
You are on the phone: speak in short sentences, ask one question at a time, and never read out lists, symbols or links. Say numbers and dates as people say them. If you did not understand something, ask again.`;

/** Starting points that work as they are. */
export const TEMPLATES: readonly Template[] = [
  {
    id: 'appointments',
    name: 'Appointment reminder',
    purpose: 'Calls people, confirms or moves an appointment, and notes the outcome.',
    config: {
      systemPrompt: `# Role
You are the assistant of {{company}}. You call {{contact_name}} about the appointment on {{appointment}}.

# Task
1. Make sure that you are talking to {{contact_name}}.
2. Ask whether the appointment on {{appointment}} still suits.
3. If it does not, ask which day and time would be better, and repeat the answer.
4. Thank them, say goodbye and end the call.

${PHONE_STYLE}

# Limits
Do not discuss anything but the appointment. If another person answers, say only that you will call again.`,
      firstMessage: 'Hello, this is the assistant of {{company}}. Am I speaking to {{contact_name}}?',
      settings: {
        maxCallDuration: 300,
        voicemail: {
          action: 'leave_message',
          message:
            'Hello {{contact_name}}, this is {{company}} about your appointment on {{appointment}}. Please call us back.',
        },
        postCallAnalysis: {
          fields: [
            {
              type: 'boolean',
              name: 'confirmed',
              description: 'Whether the appointment stands',
              required: true,
            },
            {
              type: 'string',
              name: 'new_time',
              description: 'The day and time that suits better, if another one was asked for',
            },
          ],
        },
      },
    },
  },
  {
    id: 'support',
    name: 'Customer support',
    purpose: 'Answers calls from your documents, and hands over to a person when it cannot help.',
    config: {
      systemPrompt: `# Role
You answer the support line of {{company}}.

# Task
1. Ask what the caller needs.
2. Look the answer up in your documents. Use only what they say; if they say nothing about it, say so.
3. If the caller is upset, asks for a person, or you could not help twice, offer to transfer the call.
4. Ask whether there is anything else. Then say goodbye and end the call.

${PHONE_STYLE}`,
      firstMessage: 'Hello, you have reached the support of {{company}}. How can I help you?',
      settings: {
        postCallAnalysis: {
          fields: [
            { type: 'string', name: 'topic', description: 'What the caller asked about, in a few words' },
            {
              type: 'enum',
              name: 'resolution',
              description: 'How the call ended for the caller',
              choices: ['solved', 'transferred', 'open'],
              required: true,
            },
          ],
        },
      },
    },
  },
  {
    id: 'leads',
    name: 'Lead qualification',
    purpose: 'Calls people who left their number, finds out what they need, and books a follow-up.',
    config: {
      systemPrompt: `# Role
You are the assistant of {{company}}. {{contact_name}} asked for a call about {{interest}}.

# Task
Find out, one question at a time:
- what they want to solve
- how soon they need it
- roughly which budget they have in mind
- who else takes part in the decision

Then ask for a day and time at which a colleague may call. Repeat it, say goodbye and end the call.

${PHONE_STYLE}

# Limits
Name no prices. If they are not interested, thank them and end the call at once.`,
      firstMessage:
        'Hello {{contact_name}}, this is the assistant of {{company}}. You asked us to call about {{interest}}. Do you have two minutes?',
      settings: {
        maxCallDuration: 600,
        postCallAnalysis: {
          fields: [
            {
              type: 'boolean',
              name: 'interested',
              description: 'Whether the person wants to go on',
              required: true,
            },
            { type: 'string', name: 'need', description: 'What the person wants to solve' },
            {
              type: 'enum',
              name: 'timing',
              description: 'How soon it is needed',
              choices: ['now', 'this quarter', 'later', 'unknown'],
            },
            { type: 'string', name: 'follow_up', description: 'Day and time of the follow-up call' },
          ],
        },
      },
    },
  },
  {
    id: 'reception',
    name: 'Reception',
    purpose: 'Answers every call, tells opening hours, takes messages, and transfers where it should.',
    config: {
      systemPrompt: `# Role
You are the reception of {{company}}.

# Task
- Ask who is calling and what it is about.
- Opening hours: Monday to Friday, nine to five.
- For everything else take a message: name, number and what it is about. Repeat the number.
- Say goodbye and end the call.

${PHONE_STYLE}`,
      firstMessage: 'Good day, {{company}}. Who am I speaking to?',
      settings: {
        postCallAnalysis: {
          fields: [
            { type: 'string', name: 'caller_name', description: 'Name of the caller' },
            { type: 'string', name: 'message', description: 'The message that was left' },
          ],
        },
      },
    },
  },
  {
    id: 'blank',
    name: 'Blank',
    purpose: 'Defaults only: write your own prompt.',
    config: {},
  },
];
