import type { ToolAnswer } from '../engine.ts';
import type { Intent } from './intents.ts';
import { type Slots, sumUp } from './slots.ts';

const MAX_RESULT_CHARACTERS = 200;
/** No introduction is longer; a prompt may have 100,000 characters, and the search for marks costs more than in proportion. */
const MAX_INTRODUCTION_CHARACTERS = 200;

/** The assistant's first sentence: its first message, or an introduction derived from its prompt. */
export function greeting(firstMessage: string, systemPrompt: string): string {
  return firstMessage.trim() === ''
    ? `Hello! ${introduction(systemPrompt)} How are you today?`
    : firstMessage;
}

/** "You are the assistant of Acme. Be kind." -> "I am the assistant of Acme." */
function introduction(systemPrompt: string): string {
  const [sentence = ''] = systemPrompt
    .trim()
    .slice(0, MAX_INTRODUCTION_CHARACTERS)
    .split(/(?<=[.!?])\s|\n/, 1);
  const role = /^you are\s+(.{3,160}?)[.!?]*$/i.exec(sentence)?.[1];
  return role ? `I am ${role}.` : 'I am an automated assistant.';
}

export function toolSentence(toolName: string, { result, error }: ToolAnswer): string {
  const name = spoken(toolName);
  if (error !== null) return `I am sorry, ${name} did not work: ${cut(error)}`;
  return `I have used ${name}. It says: ${cut(typeof result === 'string' ? result : JSON.stringify(result))}`;
}

/** Said when a non-blocking tool starts. */
export function startedSentence(toolName: string): string {
  return `I have started ${spoken(toolName)}. Please continue in the meantime.`;
}

/** The simulated person at 0010 hangs up after this sentence. */
export const NO_MORE_TOOLS = 'I have no more tools to use. Is there anything else?';

const OTHER = [
  'I see. Could you tell me more?',
  'I understand. What else can I do for you?',
  'All right. Please go on.',
];

export type Scene = {
  systemPrompt: string;
  /** The number of earlier lines, to vary the answers. */
  heard: number;
  slots: Slots;
};

export function replySentence(intent: Intent, { systemPrompt, heard, slots }: Scene): string {
  switch (intent.type) {
    case 'goodbye': {
      const known = sumUp(slots);
      return known === ''
        ? 'Thank you for your time. Goodbye!'
        : `Thank you for your time. I have noted ${known}. Goodbye!`;
    }
    case 'who':
      return `${introduction(systemPrompt)} Do you have a minute?`;
    case 'question':
      return 'I am sorry, I only follow simple rules and cannot answer that. Is there anything that I can note for you?';
    case 'informed':
      return notedSentence(intent.slots);
    case 'yes':
      return 'Great. Is there anything that you want me to note?';
    case 'no':
      return 'I understand. May I call you another time?';
    case 'maybe':
      return 'That is fine, take your time.';
    default:
      return OTHER[heard % OTHER.length] ?? '';
  }
}

function notedSentence(slots: Slots): string {
  const { name, ...rest } = slots;
  const noted = sumUp(rest);
  if (noted === '') return `Nice to meet you, ${name}. How can I help you?`;
  return `${name ? `Nice to meet you, ${name}. ` : 'Thank you. '}I have noted ${noted}. Is that right?`;
}

function spoken(toolName: string): string {
  return toolName.replaceAll('_', ' ');
}

function cut(text: string): string {
  return text.length > MAX_RESULT_CHARACTERS ? `${text.slice(0, MAX_RESULT_CHARACTERS)}...` : text;
}
