import type { LiveRecording, RecordLive } from '../after-call/recordings/live/record-live.ts';
import type { PreparedAssistant } from '../assistants/prepare-prompt.ts';
import type { Media } from '../carriers/media.ts';
import type { EngineOutput } from '../engines/engine.ts';
import { mediaClock } from '../speech/media-clock.ts';
import { NoAudioError } from './end-failed-conversation.ts';
import type { EventQueue } from './event-queue.ts';
import type { History } from './history.ts';
import type { LiveModels } from './live-models.ts';
import type { OpenAudio } from './open-audio.ts';
import type { CallPort, LivePort } from './open-live.ts';
import type { CallRecord } from './record.ts';
import { type RecordedPort, recordedText } from './recorded-port.ts';
import type { CallTool } from './tools/call-tool.ts';
import type { TurnRecord } from './turn-record.ts';
import { answerDetection } from './voicemail.ts';
import { watchMedia } from './watch-audio.ts';

/** The port for all speech and text of a conversation, and the recording of its audio. */
export type ConversationPort = {
  /** The first use opens it, and begins to record. */
  open(): Promise<RecordedPort | LivePort>;
  /** Undefined until it is open. */
  opened(): CallPort | undefined;
  /** Pauses the recording, or ends the pause. */
  pauseRecording(isPaused: boolean): void;
  stopRecording(): Promise<void>;
  close(): void;
};

export type PortDeps = {
  /** Undefined: this worker carries text only. */
  openAudio?: OpenAudio | undefined;
  live?: LiveModels | undefined;
  /** Records a call with audio while it runs. */
  recordLive?: RecordLive | undefined;
};

type Options = {
  queue: EventQueue;
  media: Media;
  assistant: PreparedAssistant;
  /** A live model conducts the conversation. */
  isLive: boolean;
  /** The carrier itself ends a leg whose audio is missing or stops. */
  endsSilentLegs: boolean;
  record: CallRecord;
  turns: TurnRecord;
  history: History;
  isRecordingPaused: () => boolean;
  hangUp: (cause: 'media_lost') => void;
  ownTools: () => { tools: readonly CallTool[]; useTool: EngineOutput['useTool'] };
};

export function createConversationPort(deps: PortDeps, options: Options): ConversationPort {
  const { queue, media, assistant, isLive, turns, history, isRecordingPaused, hangUp } = options;
  const { life, clock, call, sinceMs, post } = queue;
  const { config } = assistant;
  let opening: Promise<RecordedPort | LivePort> | undefined;
  let opened: CallPort | undefined;
  let recording: Promise<LiveRecording> | undefined;

  const onKeys = (digits: string): void =>
    void post({
      type: 'timeline_entry',
      entry: { type: 'dtmf', at: clock.now(), detail: { digits, direction: 'received' } },
    });

  const openPort = async (): Promise<RecordedPort | LivePort> => {
    if (media.kind === 'text') {
      if (isLive) throw new NoAudioError();
      return recordedText(media.line, { record: turns, nowMs: () => clock.realNow().getTime() });
    }
    const { session } = media;
    if (config.settings.recording.enabled)
      recording = deps.recordLive?.(call(), session, {
        sinceAnswerMs: sinceMs(call().state.answeredAt),
        isPaused: isRecordingPaused,
        signal: life.signal,
      });
    if (!options.endsSilentLegs)
      watchMedia(life, { clock, media: mediaClock }, session, () => hangUp('media_lost'));
    const detection = answerDetection(queue, assistant, options.record.entries.length);
    const audioCall = { session, call: call(), record: turns, onKeys, detection };
    if (isLive && deps.live?.open)
      return deps.live.open({ ...audioCall, assistant, history, ...options.ownTools() });
    if (!deps.openAudio) throw new Error('this worker carries no audio');
    return deps.openAudio({ ...audioCall, config });
  };

  return {
    opened: () => opened,
    open: async () => {
      opening ??= openPort();
      const port = await opening;
      opened = port;
      if (life.signal.aborted) port.close();
      return port;
    },
    // A recording that has not begun reads `isRecordingPaused`.
    pauseRecording: (isPaused) => void recording?.then(({ pause }) => pause(isPaused)),
    stopRecording: async () => (await recording)?.stop(),
    close: () => {
      opened?.close();
      void recording?.then(({ stop }) => stop());
    },
  };
}
