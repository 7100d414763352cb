import type { EngineTool } from '../engine.ts';
import { readSlots, type Slots } from './slots.ts';
import { topicWords } from './words.ts';

/** The intent of a human's line. */
export type Intent =
  | { type: 'next_tool' }
  | { type: 'tool'; tool: EngineTool }
  /** No human at all. */
  | { type: 'machine' }
  | { type: 'goodbye' }
  | { type: 'who' }
  | { type: 'question' }
  | { type: 'informed'; slots: Slots }
  | { type: 'yes' }
  | { type: 'no' }
  | { type: 'maybe' }
  | { type: 'other' };

const NATIVE: Record<string, RegExp> = {
  end_call: /\b(?:hang up|end (?:the|this) call|stop calling)\b/i,
  transfer_call:
    /\b(?:transfer me|real person|human being|representative|operator|speak to (?:a|some)\w* (?:person|human))\b/i,
  send_sms: /\b(?:sms|text me|text message)\b/i,
};

const MACHINE =
  /\b(?:after the (?:tone|beep)|leave (?:a|your|me a) message|voice ?mail|answering machine|is not available (?:right now|to take your call))\b/i;
const NEXT_TOOL = /\b(?:first|next|each|all|another) of your tools\b/i;
const QUESTION =
  /\?\s*$|^\s*(?:what|when|where|which|who|whose|why|how|can|could|do|does|did|is|are|will|would|may|tell me)\b/i;

const RULES: readonly [RegExp, Intent][] = [
  [/\b(?:bye|goodbye|that is all|that's all|have a nice day)\b/i, { type: 'goodbye' }],
  [/\b(?:who (?:is|are)|what is (?:it|this) about)\b/i, { type: 'who' }],
];

const ANSWERS: readonly [RegExp, Intent][] = [
  [/\b(?:not sure|maybe|perhaps)\b/i, { type: 'maybe' }],
  [/\b(?:no|not|don't|never)\b/i, { type: 'no' }],
  [/\b(?:yes|sure|okay|ok|great|good)\b/i, { type: 'yes' }],
];

/** The intent of the first matching rule. A tool is used a second time only if the line names it. */
export function readIntent(line: string, tools: readonly EngineTool[], used: ReadonlySet<string>): Intent {
  if (NEXT_TOOL.test(line)) return { type: 'next_tool' };
  if (MACHINE.test(line)) return { type: 'machine' };
  const named = tools.find((tool) => names(line, tool));
  if (named) return { type: 'tool', tool: named };
  const meant = tools.find((tool) => !used.has(tool.tool_name) && means(line, tool));
  if (meant) return { type: 'tool', tool: meant };
  const rule = RULES.find(([pattern]) => pattern.test(line));
  if (rule) return rule[1];
  if (isQuestion(line)) return { type: 'question' };
  const slots = readSlots(line);
  if (Object.keys(slots).length > 0) return { type: 'informed', slots };
  return ANSWERS.find(([pattern]) => pattern.test(line))?.[1] ?? { type: 'other' };
}

/** A question about Monday is not a statement that Monday suits. */
export function isQuestion(line: string): boolean {
  return QUESTION.test(line);
}

function names(line: string, { tool_name }: EngineTool): boolean {
  const spoken = tool_name.replaceAll('_', ' ').trim().toLowerCase();
  const said = line.toLowerCase();
  return said.includes(tool_name.toLowerCase()) || (spoken.includes(' ') && said.includes(spoken));
}

/** Knowledge bases are for questions; the purpose of other tools follows from their name and description. */
function means(line: string, tool: EngineTool): boolean {
  if (tool.tool_type === 'knowledge_base') return false;
  if (tool.tool_type === 'native') return NATIVE[tool.tool_name]?.test(line) ?? false;
  const said = new Set(topicWords(line));
  return topicWords(`${tool.tool_name.replaceAll('_', ' ')} ${tool.description ?? ''}`).some((word) =>
    said.has(word),
  );
}
