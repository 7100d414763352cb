import type { SnapshotTool } from '@parley/contracts';
import type { EngineTool } from '../conversation/engine-port.ts';

/** What stands behind a tool that an engine may use. */
export type ToolSource =
  | { kind: 'custom'; tool: SnapshotTool }
  | { kind: 'native'; tool: SnapshotTool }
  | { kind: 'knowledge_base'; knowledgeBaseIds: readonly string[] }
  | { kind: 'report_voicemail' };

/** Whether somebody outside is asked to do something, which is not to be done twice. */
export function reachesOut({ source }: CallTool): boolean {
  return source.kind === 'custom' || (source.kind === 'native' && source.tool.tool_name !== 'end_call');
}

/** A tool of one call. */
export type CallTool = EngineTool & { source: ToolSource };
