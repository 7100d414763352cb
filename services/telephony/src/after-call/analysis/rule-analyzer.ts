import { setImmediate as nextTurn } from 'node:timers/promises';
import { createExtractor, saidByHuman } from './extract-field.ts';
import type { Analyzer, SpokenLine } from './ports.ts';

const MAX_QUOTE = 160;

/** The built-in analyzer: quotes as summary, and fields by rules. It has no dependencies, and fails only if it is aborted. */
export const ruleAnalyzer: Analyzer = {
  analyze: async ({ lines, fields }, signal) => {
    const extract = createExtractor(lines);
    const values: [string, unknown][] = [];
    for (const field of fields) {
      // A long conversation may have many fields: calls of this process continue meanwhile.
      await nextTurn();
      signal.throwIfAborted();
      values.push([field.name, extract(field)]);
    }
    return { summary: summarize(lines), data: Object.fromEntries(values) };
  },
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
