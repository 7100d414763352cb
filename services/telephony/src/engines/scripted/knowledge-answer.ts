import type { ToolAnswer } from '../../domain/conversation/engine-port.ts';
import { tellingWords } from './words.ts';

const LONGEST = 280;

type Passage = { title: string; text: string };

/** What was found, in the words of the document: the sentences that have most in common with the question. */
export function knowledgeAnswer(question: string, { result, error }: ToolAnswer): string {
  if (error !== null) return 'I am sorry, I cannot look that up at the moment.';
  const [best] = passagesOf(result);
  if (!best) return 'I am sorry, I have nothing about that in my documents.';
  return `${best.title} says: ${fitting(best.text, new Set(tellingWords(question, 3)))}`;
}

function passagesOf(result: unknown): Passage[] {
  const passages =
    typeof result === 'object' && result !== null && 'passages' in result ? result.passages : [];
  return Array.isArray(passages) ? passages : [];
}

/** The sentence that fits best and those after it, as far as they can be listened to. */
function fitting(text: string, asked: ReadonlySet<string>): string {
  const sentences = text.split(/(?<=[.!?])\s+|\n+/).filter((sentence) => sentence.trim() !== '');
  const scores = sentences.map(
    (sentence) => new Set(tellingWords(sentence, 3).filter((word) => asked.has(word))).size,
  );
  const first = scores.indexOf(Math.max(...scores));
  let said = '';
  for (const sentence of sentences.slice(first)) {
    if (said !== '' && said.length + sentence.length > LONGEST) break;
    said = `${said} ${sentence}`.trim();
  }
  return said.length > LONGEST ? `${said.slice(0, LONGEST)}...` : said;
}
