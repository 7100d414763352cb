import type { SpeechError } from '../ports.ts';
import type { ProviderAccount } from '../providers/limits.ts';

/** The ids of answers, turns and tools are kept. */
export const MAX_ID_CHARACTERS = 256;

export type LiveAccount = ProviderAccount & {
  readonly name: string;
  /** The default, for assistants that name none. */
  readonly model?: string | undefined;
};

/** A tool that a live model may use. */
export type LiveTool = {
  name: string;
  description: string;
  /** JSON Schema of the arguments; null: none. */
  parameters: Record<string, unknown> | null;
  /** `non_blocking`: the model continues to talk while the tool runs. */
  behavior: 'blocking' | 'non_blocking';
  /** For non-blocking tools: whether the result is spoken at the next pause, or only remembered. */
  scheduling: 'when_idle' | 'silent';
};

export type LiveToolResult = { result: unknown; error: string | null };

/** An entry of the conversation so far. */
export type LiveTurn =
  | { role: 'user' | 'agent'; content: string }
  | ({ role: 'tool'; name: string; args: unknown } & LiveToolResult);

/** The initial settings of a model. */
export type LiveSetup = {
  /** The provider's name of the model; undefined: that of the operator. */
  model?: string | undefined;
  instructions: string;
  /** The provider's id of a voice; undefined: its default. */
  voiceId?: string | undefined;
  /** 0.5 to 2, if the provider supports it. */
  speed?: number | undefined;
  /** If the provider supports it. */
  temperature?: number | undefined;
  /** BCP 47. */
  language: string;
  tools: readonly LiveTool[];
  /** Silence that ends a turn of the human; undefined: the provider's own. */
  silenceMs?: number | undefined;
  /** False: the human cannot interrupt the model. */
  isInterruptible: boolean;
};

export type LiveOpening = LiveSetup & {
  /** The handle from an earlier connection of the same conversation. */
  handle: string | null;
  /** The conversation so far, for providers without a handle. */
  history: readonly LiveTurn[];
};

/** An event of a model. An answer is one utterance of the model; its id is unique within a connection. */
export type LiveEvent =
  | { type: 'audio'; answer: string; samples: Int16Array }
  /** Words of an answer. They may come before or after their audio. */
  | { type: 'said'; answer: string; text: string }
  /** No more audio of the answer follows. */
  | { type: 'answer_ended'; answer: string }
  /** The words of a turn of the human so far; final words, of a turn that is over, may be followed by longer final words. */
  | { type: 'heard'; turn: string; text: string; isFinal: boolean }
  /** A turn of the human is over, and the model is going to answer it; its words may follow later as `heard`. */
  | { type: 'turn_ended'; turn: string }
  /** The human speaks over the answer: audio that was not played yet must be discarded. */
  | { type: 'interrupted' }
  /** The model has finished its output for now. */
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

/** When a tool's result is used: immediately (a blocking tool), at the next pause, or only when it is needed. */
export type ResultUse = 'now' | 'when_idle' | 'silent';

export type LiveConnection = {
  /** Audio of the human: mono PCM at the model's `hearingRate`. */
  hear(samples: Int16Array): void;
  /** Text or keys of the human, which the model answers. */
  sendText(text: string): void;
  /** Makes the model speak now, following an instruction that the human doesn't hear. */
  respond(instruction: string): void;
  /** `isKnown`: false for a tool that was requested over another connection. */
  answerTool(
    tool: { id: string; name: string; args: unknown; isKnown: boolean },
    answer: LiveToolResult,
    use: ResultUse,
  ): void;
  /** The answer was cut off after `playedMs`. */
  cutOff(answer: string, playedMs: number): void;
  /** Call when both sides are silent: waiting results may be spoken. */
  idle(): void;
  close(): void;
};

/** A model that listens and speaks itself. */
export type LiveModel = {
  /** The operator's name for it. */
  readonly name: string;
  readonly hearingRate: number;
  readonly speakingRate: number;
  /**
   * Resolves when the model is ready and knows the history. Rejects with SpeechError, or with the signal's reason. It never reconnects by
   * itself.
   */
  connect(opening: LiveOpening, listener: LiveListener, signal: AbortSignal): Promise<LiveConnection>;
};
