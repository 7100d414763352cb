import type { ConversationEngine, EngineInput, EngineOutput, EngineTool, ToolAnswer } from '../engine.ts';
import { type Intent, readIntent } from './intents.ts';
import { knowledgeAnswer } from './knowledge-answer.ts';
import { createListener } from './listener.ts';
import { makeArguments } from './make-arguments.ts';
import { hearLine, remember } from './memory.ts';
import { greeting, NO_MORE_TOOLS, replySentence, startedSentence, toolSentence } from './sentences.ts';

/** Tools that end the call and are used last. */
const LAST: readonly string[] = ['transfer_call', 'end_call'];
/** Tools that are not used on request. */
const NOT_ON_REQUEST = 'report_voicemail';

/**
 * `builtin/scripted-1`: a conversation by the rules in the README beside this file. The same words always get the same
 * answer. `builtin/scripted-live-1` continues while non-blocking tools run.
 */
export function createScriptedEngine(nonBlockingTools: boolean): ConversationEngine {
  return { capabilities: { nonBlockingTools }, run: lead };
}

async function lead(input: EngineInput, output: EngineOutput): Promise<void> {
  const { port, signal, tools, systemPrompt } = input;
  const memory = remember(input.history);
  const listener = createListener<{ tool: EngineTool; answer: ToolAnswer }>(port, signal);
  const find = (name: string): EngineTool | undefined => tools.find(({ tool_name }) => tool_name === name);

  const speak = async (text: string): Promise<void> => {
    await port.say(text, signal);
  };

  const use = (tool: EngineTool, line: string): Promise<ToolAnswer> => {
    memory.used.add(tool.tool_name);
    const args = makeArguments(tool.parameters, { line, variables: input.variables, slots: memory.slots });
    return output.useTool(tool.tool_name, args);
  };

  const useTool = async (tool: EngineTool, line: string): Promise<void> => {
    const known = memory.silent.get(tool.tool_name);
    if (known) return speak(toolSentence(tool.tool_name, known));
    if (tool.tool_behavior === 'blocking') return speak(toolSentence(tool.tool_name, await use(tool, line)));
    listener.expect(use(tool, line).then((answer) => ({ tool, answer })));
    await speak(startedSentence(tool.tool_name));
  };

  const reply = async (line: string): Promise<void> => {
    const intent = readIntent(line, tools, memory.used);
    if (intent.type === 'next_tool') {
      const next = inTurn(tools).find(({ tool_name }) => !memory.used.has(tool_name));
      return next ? useTool(next, line) : speak(NO_MORE_TOOLS);
    }
    const tool = toolFor(intent, find, tools, memory.saidGoodbye);
    if (intent.type === 'question' && tool) return speak(knowledgeAnswer(line, await use(tool, line)));
    if (tool) return useTool(tool, line);
    memory.saidGoodbye = intent.type === 'goodbye';
    await speak(replySentence(intent, { systemPrompt, heard: memory.heard - 1, slots: memory.slots }));
  };

  await begin(input, speak, reply);
  for (;;) {
    const next = await listener.next();
    if (next.type === 'line') {
      hearLine(memory, next.line);
      await reply(next.line);
      continue;
    }
    const { tool, answer } = next.result;
    if (tool.result_scheduling === 'silent') memory.silent.set(tool.tool_name, answer);
    else await speak(toolSentence(tool.tool_name, answer));
  }
}

/** The tool of an intent; undefined: an answer in words. */
function toolFor(
  intent: Intent,
  find: (name: string) => EngineTool | undefined,
  tools: readonly EngineTool[],
  saidGoodbye: boolean,
): EngineTool | undefined {
  switch (intent.type) {
    case 'tool':
      return intent.tool;
    case 'machine':
      return find(NOT_ON_REQUEST);
    case 'question':
      return tools.find(({ tool_type }) => tool_type === 'knowledge_base');
    case 'goodbye':
      // Both sides said goodbye.
      return saidGoodbye ? find('end_call') : undefined;
    default:
      return undefined;
  }
}

/** Greets, waits for the human to begin, or continues a call of another worker. */
async function begin(
  { history, direction, firstMessage, systemPrompt }: EngineInput,
  speak: (text: string) => Promise<void>,
  reply: (line: string) => Promise<void>,
): Promise<void> {
  const last = history.at(-1);
  if (!last) {
    const greets = direction === 'outbound' || firstMessage.trim() !== '';
    if (greets) await speak(greeting(firstMessage, systemPrompt));
  } else if (last.role === 'user') {
    await reply(last.content);
  } else if (last.role === 'tool') {
    await speak(toolSentence(last.toolName, last));
  }
}

function inTurn(tools: readonly EngineTool[]): EngineTool[] {
  return tools
    .filter(({ tool_name }) => tool_name !== NOT_ON_REQUEST)
    .sort((a, b) => LAST.indexOf(a.tool_name) - LAST.indexOf(b.tool_name));
}
