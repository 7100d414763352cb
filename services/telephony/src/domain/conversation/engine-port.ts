import type { SnapshotTool } from '@parley/contracts';
import type { TextPort } from './text-port.ts';

/** One entry of a conversation, as far as an engine is concerned. */
export type HistoryTurn =
  | { role: 'user' | 'agent'; content: string }
  | { role: 'tool'; toolName: string; result: unknown; error: string | null };

/** A tool as an engine may know it: nothing secret. */
export type EngineTool = Pick<SnapshotTool, 'tool_name' | 'is_native' | 'description' | 'parameters'>;

export type EngineInput = {
  direction: 'inbound' | 'outbound';
  /** Placeholders are filled. */
  systemPrompt: string;
  firstMessage: string;
  variables: Readonly<Record<string, unknown>>;
  tools: readonly EngineTool[];
  /** What was said before: not empty when another worker began the call. */
  history: readonly HistoryTurn[];
  port: TextPort;
  /** Aborts when the conversation is over. */
  signal: AbortSignal;
};

export type ToolAnswer = { result: unknown; error: string | null };

export type EngineOutput = {
  /** Something is being said. */
  turn(turn: { role: 'user' | 'agent'; content: string }): void;
  /** Runs a tool, also `end_call` and `transfer_call`, after which the signal aborts. Never rejects but with its reason. */
  useTool(toolName: string, args: Record<string, unknown>): Promise<ToolAnswer>;
};

/** Leads one conversation until the signal aborts: then it rejects with its reason. It has no other way to end a call. */
export type ConversationEngine = { run(input: EngineInput, output: EngineOutput): Promise<void> };
