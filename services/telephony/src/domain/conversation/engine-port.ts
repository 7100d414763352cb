import type { TextPort } from './text-port.ts';

/** One entry of a conversation, as far as an engine is concerned. */
export type HistoryTurn =
  | { role: 'user' | 'agent'; content: string }
  | { role: 'tool'; toolName: string; args: unknown; result: unknown; error: string | null };

/** A tool as an engine may know it: nothing secret. */
export type EngineTool = {
  tool_name: string;
  tool_type: 'custom' | 'native' | 'knowledge_base';
  description: string | null;
  /** JSON Schema of its arguments; null: it takes none. */
  parameters: Record<string, unknown> | null;
  /** `blocking` for every tool unless the engine says that it can do otherwise. */
  tool_behavior: 'blocking' | 'non_blocking';
  /** Of one that isn't blocking: its answer is given at the next pause, or kept in mind without a word. */
  result_scheduling: 'when_idle' | 'silent';
};

export type EngineInput = {
  direction: 'inbound' | 'outbound';
  /** Placeholders are filled. */
  systemPrompt: string;
  firstMessage: string;
  model: { name: string; temperature: number };
  /** BCP 47. */
  language: string;
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
  /**
   * Runs a tool, also those that end the conversation, after which the signal aborts. Several may be under way. Arguments
   * that don't fit are told as an error. Never rejects but with the signal's reason.
   */
  useTool(toolName: string, args: unknown): Promise<ToolAnswer>;
};

/** Leads one conversation until the signal aborts: then it rejects with its reason. It has no other way to end a call. */
export type ConversationEngine = {
  capabilities: {
    /** It goes on while a tool runs (spec: tool_behavior takes effect only on a live model). */
    nonBlockingTools: boolean;
  };
  run(input: EngineInput, output: EngineOutput): Promise<void>;
};

/** The engine of a model; undefined: no engine here speaks to its provider. */
export type FindEngine = (model: { provider: string; name: string }) => ConversationEngine | undefined;
