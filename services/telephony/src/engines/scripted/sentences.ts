import type { ToolAnswer } from '../../domain/conversation/engine-port.ts';
import type { Intent } from './intents.ts';

const LONGEST_RESULT = 200;

/** What the assistant says first: its first message, or who it is by its prompt. */
export function greeting(firstMessage: string, systemPrompt: string): string {
  return firstMessage.trim() === ''
    ? `Hello! ${introduction(systemPrompt)} How are you today?`
    : firstMessage;
}

/** "You are the assistant of Acme. Be kind." -> "I am the assistant of Acme." */
function introduction(systemPrompt: string): string {
  const [sentence = ''] = systemPrompt.trim().split(/(?<=[.!?])\s|\n/, 1);
  const role = /^you are\s+(.{3,160}?)[.!?]*$/i.exec(sentence)?.[1];
  return role ? `I am ${role}.` : 'I am an automated assistant.';
}

export function toolSentence(toolName: string, { result, error }: ToolAnswer): string {
  const name = toolName.replaceAll('_', ' ');
  if (error !== null) return `I am sorry, ${name} did not work: ${cut(error)}`;
  return `I have used ${name}. It says: ${cut(typeof result === 'string' ? result : JSON.stringify(result))}`;
}

/** The simulated human of 0010 hangs up when it hears of no more tools. */
export const NO_MORE_TOOLS = 'I have no more tools to use. Is there anything else?';

const OTHER = [
  'I see. Could you tell me more?',
  'I understand. What else can I do for you?',
  'All right. Please go on.',
];

/** `spoken`: how many lines were heard before, so that it doesn't say the same each time. */
export function replySentence(intent: Intent, systemPrompt: string, spoken: number): string {
  switch (intent.type) {
    case 'goodbye':
      return 'Thank you for your time. Goodbye!';
    case 'who':
      return `${introduction(systemPrompt)} Do you have a minute?`;
    case 'name':
      return `Nice to meet you, ${intent.name}. How can I help you?`;
    case 'number':
      return `Thank you, I have noted ${intent.number}. Is that right?`;
    case 'day':
      return `${intent.day}, noted. Is there anything else?`;
    case 'yes':
      return 'Great. Is there anything that you want me to note?';
    case 'no':
      return 'I understand. May I call you another time?';
    case 'maybe':
      return 'That is fine, take your time.';
    default:
      return OTHER[spoken % OTHER.length] ?? '';
  }
}

function cut(text: string): string {
  return text.length > LONGEST_RESULT ? `${text.slice(0, LONGEST_RESULT)}...` : text;
}
