import type { ToolAnswer } from '../engine.ts';
import { topicWords } from './words.ts';

const MAX_CHARACTERS = 280;

type Passage = { title: string; text: string };

/** Answers with the sentences of the document that share the most words with the question. */
export function knowledgeAnswer(question: string, { result, error }: ToolAnswer): string {
  if (error !== null) return 'I am sorry, I cannot look that up at the moment.';
  const [best] = passagesOf(result);
  if (!best) return 'I am sorry, I have nothing about that in my documents.';
  return `${best.title} says: ${fitting(best.text, new Set(topicWords(question, 3)))}`;
}

function passagesOf(result: unknown): Passage[] {
  const passages =
    typeof result === 'object' && result !== null && 'passages' in result ? result.passages : [];
  return Array.isArray(passages) ? passages : [];
}

/** The best sentence and those after it, up to a maximum length. */
function fitting(text: string, asked: ReadonlySet<string>): string {
  const sentences = text.split(/(?<=[.!?])\s+|\n+/).filter((sentence) => sentence.trim() !== '');
  const scores = sentences.map(
    (sentence) => new Set(topicWords(sentence, 3).filter((word) => asked.has(word))).size,
  );
  const first = scores.indexOf(Math.max(...scores));
  let said = '';
  for (const sentence of sentences.slice(first)) {
    if (said !== '' && said.length + sentence.length > MAX_CHARACTERS) break;
    said = `${said} ${sentence}`.trim();
  }
  return said.length > MAX_CHARACTERS ? `${said.slice(0, MAX_CHARACTERS)}...` : said;
}
