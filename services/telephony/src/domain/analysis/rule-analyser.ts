import { extractField } from './extract-field.ts';
import type { Analyser, SpokenLine } from './ports.ts';

const LONGEST_QUOTE = 160;

/** The embedded analyser: a summary out of what was said, and fields by rules. It needs nothing and never fails. */
export const ruleAnalyser: Analyser = {
  analyse: async ({ lines, fields }) => ({
    summary: summarise(lines),
    data: Object.fromEntries(fields.map((field) => [field.name, extractField(field, lines)])),
  }),
};

function summarise(lines: readonly SpokenLine[]): string {
  const ofHuman = lines.filter(({ role }) => role === 'user').map(({ content }) => content);
  // The longest lines carry most, and they are told in the order in which they were said.
  const telling = [...ofHuman].sort((a, b) => b.length - a.length).slice(0, 2);
  const quotes = ofHuman.filter((line) => telling.includes(line)).slice(0, 2);
  const turns = lines.length === 1 ? '1 turn' : `${lines.length} turns`;
  // What was said stands first: lists show the beginning alone.
  return `The contact said ${quotes.map(quote).join(' and ')}. They spoke for ${turns}.`;
}

function quote(line: string): string {
  return `"${line.length > LONGEST_QUOTE ? `${line.slice(0, LONGEST_QUOTE)}...` : line}"`;
}
