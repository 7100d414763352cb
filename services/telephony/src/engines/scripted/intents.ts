import type { EngineTool } from '../../domain/conversation/engine-port.ts';

/** What a line of the human asks for. */
export type Intent =
  | { type: 'next_tool' }
  | { type: 'tool'; tool: EngineTool }
  | { type: 'goodbye' }
  | { type: 'who' }
  | { type: 'name'; name: string }
  | { type: 'number'; number: string }
  | { type: 'day'; day: string }
  | { type: 'yes' }
  | { type: 'no' }
  | { type: 'maybe' }
  | { type: 'other' };

/** Words that say nothing about what a tool is for. */
const COMMON = new Set(
  'about after again agent assistant being caller customer during every given their there these thing those using when where which while with would your number please something human call calls called value'.split(
    ' ',
  ),
);

const NATIVE: Record<string, RegExp> = {
  end_call: /\b(?:hang up|end (?:the|this) call|stop calling)\b/i,
  transfer_call:
    /\b(?:transfer me|real person|human being|representative|operator|speak to (?:a|some)\w* (?:person|human))\b/i,
  send_sms: /\b(?:sms|text me|text message)\b/i,
};

const RULES: readonly [RegExp, (found: RegExpExecArray) => Intent][] = [
  [/\b(?:bye|goodbye|that is all|have a nice day)\b/i, () => ({ type: 'goodbye' })],
  [/\b(?:who (?:is|are)|what is (?:it|this) about)\b/i, () => ({ type: 'who' })],
  [/\bmy name is ([\p{L}'-]+)/iu, ([, name = '']) => ({ type: 'name', name })],
  [/\b(\d{3,})\b/, ([, number = '']) => ({ type: 'number', number })],
  [
    /\b((?:mon|tues|wednes|thurs|fri|satur|sun)day(?: at \d{1,2})?)\b/i,
    ([, day = '']) => ({ type: 'day', day }),
  ],
  [/\b(?:not sure|maybe|perhaps)\b/i, () => ({ type: 'maybe' })],
  [/\b(?:no|not|don't|never)\b/i, () => ({ type: 'no' })],
  [/\b(?:yes|sure|okay|ok|great|good)\b/i, () => ({ type: 'yes' })],
];

/** Reads a line by rules. A tool that was used already is used again only if the line names it. */
export function readIntent(line: string, tools: readonly EngineTool[], used: ReadonlySet<string>): Intent {
  if (/\b(?:first|next|each|all|another) of your tools\b/i.test(line)) return { type: 'next_tool' };
  const named = tools.find((tool) => names(line, tool));
  if (named) return { type: 'tool', tool: named };
  const meant = tools.find((tool) => !used.has(tool.tool_name) && means(line, tool));
  if (meant) return { type: 'tool', tool: meant };
  for (const [pattern, toIntent] of RULES) {
    const found = pattern.exec(line);
    if (found) return toIntent(found);
  }
  return { type: 'other' };
}

function names(line: string, { tool_name }: EngineTool): boolean {
  const spoken = tool_name.replaceAll('_', ' ').trim().toLowerCase();
  const said = line.toLowerCase();
  return said.includes(tool_name.toLowerCase()) || (spoken.includes(' ') && said.includes(spoken));
}

function means(line: string, tool: EngineTool): boolean {
  if (tool.is_native) return NATIVE[tool.tool_name]?.test(line) ?? false;
  const said = new Set(words(line));
  return words(`${tool.tool_name} ${tool.description ?? ''}`).some((word) => said.has(word));
}

function words(text: string): string[] {
  const all = text.toLowerCase().match(/\p{L}{5,}/gu) ?? [];
  return all.filter((word) => !COMMON.has(word));
}
