import type { CallType, SnapshotTool } from '@parley/contracts';
import type { PreparedAssistant } from '../../assistants/prepare-prompt.ts';
import type { CallTool } from './call-tool.ts';

const BLOCKING = { tool_behavior: 'blocking', result_scheduling: 'when_idle' } as const;

/**
 * The tools of a call: the assistant's own, one for its knowledge bases [knowledge.3], and, for outbound calls with voicemail
 * detection, the reserved `report_voicemail`.
 */
export function toolsOfCall({ snapshot, config }: PreparedAssistant, callType: CallType): CallTool[] {
  const tools = snapshot.tools.map(ownTool);
  const { kbStoreIds } = config;
  if (kbStoreIds.length > 0) tools.push(knowledgeTool(kbStoreIds, snapshot.tools));
  if (callType === 'outbound' && config.settings.voicemail.detection) tools.push(REPORT_VOICEMAIL);
  return tools;
}

function ownTool(tool: SnapshotTool): CallTool {
  const { tool_name, description, parameters, tool_behavior, result_scheduling, is_native } = tool;
  const kind = is_native ? 'native' : 'custom';
  const behavior = is_native ? BLOCKING : { tool_behavior, result_scheduling };
  return { tool_name, tool_type: kind, description, parameters, ...behavior, source: { kind, tool } };
}

function knowledgeTool(knowledgeBaseIds: readonly string[], others: readonly SnapshotTool[]): CallTool {
  return {
    tool_name: freeName('search_knowledge_base', new Set(others.map(({ tool_name }) => tool_name))),
    tool_type: 'knowledge_base',
    description: 'Searches the documents that you were given. Use it before you answer a question of fact.',
    parameters: {
      type: 'object',
      properties: { query: { type: 'string', description: 'What to look for, in a few words' } },
      required: ['query'],
    },
    ...BLOCKING,
    source: { kind: 'knowledge_base', knowledgeBaseIds },
  };
}

/** A custom tool may have the same name. */
function freeName(name: string, taken: ReadonlySet<string>): string {
  let free = name;
  for (let n = 2; taken.has(free); n += 1) free = `${name}_${n}`;
  return free;
}

const REPORT_VOICEMAIL: CallTool = {
  tool_name: 'report_voicemail',
  tool_type: 'native',
  description: 'Reports that a voicemail or an answering machine has picked up, instead of a human.',
  parameters: { type: 'object', properties: { reason: { type: 'string' } } },
  ...BLOCKING,
  source: { kind: 'report_voicemail' },
};
