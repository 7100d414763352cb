import type { Log } from '@parley/kit/log';
import type { TextPort } from './text-port.ts';

/** One entry of a conversation, for engines. */
export type HistoryTurn =
  | { role: 'user' | 'agent'; content: string }
  | { role: 'tool'; toolName: string; args: unknown; result: unknown; error: string | null };

/** A tool for engines, without secrets. */
export type EngineTool = {
  tool_name: string;
  tool_type: 'custom' | 'native' | 'knowledge_base';
  description: string | null;
  /** JSON Schema of the arguments; null: none. */
  parameters: Record<string, unknown> | null;
  /** Always `blocking`, unless the engine supports other behavior. */
  tool_behavior: 'blocking' | 'non_blocking';
  /** For non-blocking tools: whether the result is spoken at the next pause or only remembered. */
  result_scheduling: 'when_idle' | 'silent';
};

export type EngineInput = {
  direction: 'inbound' | 'outbound';
  /** With placeholders replaced. */
  systemPrompt: string;
  firstMessage: string;
  model: { name: string; temperature: number };
  /** BCP 47. */
  language: string;
  variables: Readonly<Record<string, unknown>>;
  tools: readonly EngineTool[];
  /** The conversation so far; not empty if another worker started the call. */
  history: readonly HistoryTurn[];
  port: TextPort;
  /** Its lines have the id of the call. */
  log: Log;
  /** Aborts when the conversation ends. */
  signal: AbortSignal;
};

export type ToolAnswer = { result: unknown; error: string | null };

export type EngineOutput = {
  /**
   * Runs a tool. Several may run at once. Invalid arguments are an error result. After a tool that ends the conversation,
   * the signal aborts. Rejects only with the signal's reason.
   */
  useTool(toolName: string, args: unknown): Promise<ToolAnswer>;
};

/** Conducts one conversation until the signal aborts, then rejects with its reason. An engine ends a call only through a tool. */
export type ConversationEngine = {
  capabilities: {
    /** Continues while a tool runs: `tool_behavior` has an effect only on live models [tools.12]. */
    nonBlockingTools: boolean;
  };
  run(input: EngineInput, output: EngineOutput): Promise<void>;
};

/** The engine of a model; undefined if its provider is not configured. */
export type FindEngine = (model: { provider: string; name: string }) => ConversationEngine | undefined;
