import type { SpeechError } from '../ports.ts';
import type { ProviderAccount } from '../providers/limits.ts';

export type LiveAccount = ProviderAccount & {
  readonly name: string;
  /** For assistants that name none. */
  readonly model?: string | undefined;
};

/** A tool that a live model may use. */
export type LiveTool = {
  name: string;
  description: string;
  /** JSON Schema of the arguments; null: none. */
  parameters: Record<string, unknown> | null;
  /** `non_blocking`: the model goes on talking while it runs. */
  behavior: 'blocking' | 'non_blocking';
  /** Of a non-blocking tool: whether its result is spoken at the next pause, or only remembered. */
  scheduling: 'when_idle' | 'silent';
};

export type LiveToolResult = { result: unknown; error: string | null };

/** What was said and done before. */
export type LiveTurn =
  | { role: 'user' | 'agent'; content: string }
  | ({ role: 'tool'; name: string; args: unknown } & LiveToolResult);

/** What a model is told at the beginning. */
export type LiveSetup = {
  /** The provider's name of the model; undefined: that of the operator. */
  model?: string | undefined;
  instructions: string;
  /** The provider's id of a voice; undefined: its default. */
  voiceId?: string | undefined;
  /** 0.5 to 2, where the provider has it. */
  speed?: number | undefined;
  /** Where the provider has it. */
  temperature?: number | undefined;
  /** BCP 47. */
  language: string;
  tools: readonly LiveTool[];
  /** Silence that ends a turn of the human; undefined: the provider's own. */
  silenceMs?: number | undefined;
  /** False: the model finishes what it says. */
  isInterruptible: boolean;
};

export type LiveOpening = LiveSetup & {
  /** Of an earlier connection of the same conversation: the provider knows it. */
  handle: string | null;
  /** The conversation so far, for providers without a handle. */
  history: readonly LiveTurn[];
};

/** What a model does. An answer is one stretch of its speech; its id is unique within a connection. */
export type LiveEvent =
  | { type: 'audio'; answer: string; samples: Int16Array }
  /** Words of an answer. They may come before or after their audio. */
  | { type: 'said'; answer: string; text: string }
  /** No more audio of the answer follows. */
  | { type: 'answer_ended'; answer: string }
  /** The words of a turn of the human so far; final ones may be followed by final ones that have more. */
  | { type: 'heard'; turn: string; text: string; isFinal: boolean }
  /** A turn of the human is over: its words follow, then or later, as `heard`. */
  | { type: 'turn_ended'; turn: string }
  /** The human speaks over the answer: what was not played yet must not be. */
  | { type: 'interrupted' }
  /** The model has said and asked everything for now. */
  | { type: 'done' }
  | { type: 'tool'; id: string; name: string; args: unknown }
  | { type: 'tools_cancelled'; ids: readonly string[] }
  /** With this handle another connection can continue the conversation. */
  | { type: 'resumable'; handle: string }
  /** The provider is about to close the connection. */
  | { type: 'leaving' };

export type LiveListener = {
  onEvent: (event: LiveEvent) => void;
  /** At most once, and never after `close`: the connection is lost. */
  onFailure: (failure: SpeechError) => void;
};

/** How a tool's result is used: at once (a blocking tool), at the next pause, or not until it is needed. */
export type ResultUse = 'now' | 'when_idle' | 'silent';

export type LiveConnection = {
  /** What the human says: mono PCM at the model's `hearingRate`. */
  hear(samples: Int16Array): void;
  /** The human has written, or pressed keys: the model answers. */
  tell(text: string): void;
  /** The model speaks now, by an instruction that the human doesn't hear. */
  respond(instruction: string): void;
  /** `isKnown`: false for a tool that another connection asked for. */
  answerTool(
    tool: { id: string; name: string; args: unknown; isKnown: boolean },
    answer: LiveToolResult,
    use: ResultUse,
  ): void;
  /** The human has heard so much of an answer, and will hear no more of it. */
  cutOff(answer: string, playedMs: number): void;
  /** Both sides are silent: results that waited for it may be spoken. */
  idle(): void;
  close(): void;
};

/** A model that listens and speaks itself. */
export type LiveModel = {
  /** As the operator named it. */
  readonly name: string;
  readonly hearingRate: number;
  readonly speakingRate: number;
  /**
   * Resolves when the model is ready and knows the history. Rejects with SpeechError, or with the signal's reason. It never reconnects by
   * itself.
   */
  connect(opening: LiveOpening, listener: LiveListener, signal: AbortSignal): Promise<LiveConnection>;
};
