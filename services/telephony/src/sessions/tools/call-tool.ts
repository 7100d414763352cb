import type { SnapshotTool } from '@parley/contracts';
import type { EngineTool } from '../../engines/engine.ts';

/** What implements a tool that an engine may use. */
type ToolSource =
  | { kind: 'custom'; tool: SnapshotTool }
  | { kind: 'native'; tool: SnapshotTool }
  | { kind: 'knowledge_base'; knowledgeBaseIds: readonly string[] }
  | { kind: 'report_voicemail' };

/** Whether the tool has an effect outside of the platform, which must not happen twice. */
export function hasOutsideEffect({ source }: CallTool): boolean {
  return source.kind === 'custom' || (source.kind === 'native' && source.tool.tool_name !== 'end_call');
}

/** A tool of one call. */
export type CallTool = EngineTool & { source: ToolSource };
