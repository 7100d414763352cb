import { extractField, saidByHuman } from './extract-field.ts';
import type { Analyzer, SpokenLine } from './ports.ts';

const MAX_QUOTE = 160;

/** The built-in analyzer: quotes as summary, and fields by rules. It has no dependencies and never fails. */
export const ruleAnalyzer: Analyzer = {
  analyze: async ({ lines, fields }) => ({
    summary: summarize(lines),
    data: Object.fromEntries(fields.map((field) => [field.name, extractField(field, lines)])),
  }),
};

function summarize(lines: readonly SpokenLine[]): string {
  const said = saidByHuman(lines);
  // The longest lines, in the order of the conversation.
  const longest = [...said].sort((a, b) => b.length - a.length).slice(0, 2);
  const quotes = said.filter((line) => longest.includes(line)).slice(0, 2);
  const turns = lines.length === 1 ? '1 turn' : `${lines.length} turns`;
  // Quotes come first: lists show only the beginning.
  return `The contact said ${quotes.map(quote).join(' and ')}. They spoke for ${turns}.`;
}

function quote(line: string): string {
  return `"${line.length > MAX_QUOTE ? `${line.slice(0, MAX_QUOTE)}...` : line}"`;
}
