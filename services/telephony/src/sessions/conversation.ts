import type { LiveRecording, LiveRecordings } from '../after-call/recordings/live/live-recordings.ts';
import type { PreparedAssistant } from '../assistants/prepare-prompt.ts';
import type { CallUpdate } from '../carriers/call-update.ts';
import type { Media } from '../carriers/media.ts';
import type { FindEngine, HistoryTurn } from '../engines/engine.ts';
import type { TextPort } from '../engines/text-port.ts';
import { mediaClock } from '../speech/media-clock.ts';
import type { Apologise } from './apology.ts';
import { maxDurationMs } from './call.ts';
import { silencePromptIn } from './courtesies.ts';
import type { EventQueue, OwnEndCause } from './event-queue.ts';
import { createGiveUp, NoAudioError } from './give-up.ts';
import type { LiveModels } from './live-models.ts';
import type { OpenAudio } from './open-audio.ts';
import type { CallPort, LivePort } from './open-live.ts';
import type { Entry } from './ports.ts';
import type { CallRecord } from './record.ts';
import { type RecordedPort, recordedText } from './recorded-port.ts';
import { silenceLeftMs } from './silence-left.ts';
import { createToolAccess, type ToolAccessDeps, toEngineTool } from './tools/tool-access.ts';
import { toolsOfCall } from './tools/tools-of-call.ts';
import type { Transfers } from './transfers.ts';
import { answerDetection, leaveMessage } from './voicemail.ts';
import { watchMedia, watchSilence } from './watch-audio.ts';

/** The conversation of an answered call: between the media of a leg, the engine and the tools. */
export type Conversation = {
  /** The call was answered, or is resumed: the assistant begins or continues. */
  begin(): void;
  /** A machine answered: the assistant stops, leaves its message if it has one, and hangs up [assistants.10]. */
  meetMachine(): void;
  /** The human pressed keys, reported by signalling. True: they become part of an entry of keys, which is noted when it is complete. */
  press(digits: string): boolean;
  /** The human wrote. */
  write(text: string): void;
  /** After `stop`: resolves when the last turn is corrected to what was heard and the recording is closed. */
  settled(): Promise<unknown>;
  close(): void;
  /** Resolves when no tool is running. */
  toolsDone(): Promise<void>;
  stop(why: string): void;
};

type Deps = ToolAccessDeps & {
  findEngine: FindEngine;
  openAudio?: OpenAudio | undefined;
  live?: LiveModels | undefined;
  apologise?: Apologise | undefined;
  recordLive?: LiveRecordings['start'] | undefined;
};

type Options = {
  queue: EventQueue;
  media: Media;
  /** The carrier ends the call itself if the audio breaks off. */
  endsLostLegs: boolean;
  /** Shows the human what happens. */
  show: (update: CallUpdate) => void;
  assistant: PreparedAssistant;
  record: CallRecord;
  transfers: Transfers;
  isHangingUp: () => boolean;
  hangUp: (cause: OwnEndCause) => void;
};

export function createConversation(deps: Deps, options: Options): Conversation {
  const { queue, media, assistant, record, isHangingUp, hangUp } = options;
  const { life, log, clock, call, sinceMs, post } = queue;
  const clocks = { clock, media: mediaClock };
  const { settings, model } = assistant.config;
  const talking = new AbortController();
  const isLive = deps.live?.serves(model.provider) ?? false;
  let port: CallPort | undefined;
  let opening: Promise<RecordedPort | LivePort> | undefined;
  let recording: Promise<LiveRecording> | undefined;
  const entriesBefore = record.entries.length;

  const note: CallRecord['add'] = (entry) => {
    const written = record.add(entry);
    if (record.isFull() && !isHangingUp()) {
      log.warn(
        { turns: record.entries.length },
        'the call has reached its maximum of turns or text and is ended',
      );
      hangUp('local');
    }
    return written;
  };

  const turns = { note, correct: record.correct };
  const tools = createToolAccess(deps, { ...options, note, signal: talking.signal });
  const ownTools = () => toolsOfCall(assistant, call().callType);

  const openPort = async (): Promise<RecordedPort | LivePort> => {
    if (media.kind === 'text') {
      if (isLive) throw new NoAudioError();
      return recordedText(media.line, { record: turns, nowMs: () => clock.realNow().getTime() });
    }
    const { session } = media;
    const onKeys = (digits: string): void =>
      void post({
        type: 'timeline_entry',
        entry: { type: 'dtmf', at: clock.now(), detail: { digits, direction: 'received' } },
      });
    if (settings.recording.enabled)
      recording = deps.recordLive?.(call(), session, {
        sinceAnswerMs: sinceMs(call().state.answeredAt),
        signal: life.signal,
      });
    if (!options.endsLostLegs) watchMedia(life, clocks, session, () => hangUp('media_lost'));
    const detection = answerDetection(queue, assistant, record.entries.length);
    const audioCall = { session, call: call(), record: turns, onKeys, detection };
    if (isLive && deps.live?.open) {
      const own = ownTools();
      return deps.live.open({ ...audioCall, assistant, tools: own, history, useTool: tools.useToolOf(own) });
    }
    if (!deps.openAudio) throw new Error('this worker carries no audio');
    return deps.openAudio({ ...audioCall, config: assistant.config });
  };

  /** Opens the port for all speech and text of the call. */
  const usePort = async (): Promise<RecordedPort | LivePort> => {
    opening ??= openPort();
    const opened = await opening;
    port = opened;
    if (life.signal.aborted) opened.close();
    return opened;
  };

  /** Hangs up after the silence timeout, counted across workers. */
  const hear = (port: RecordedPort): TextPort['hear'] => {
    return async (signal) => {
      const timeoutMs = settings.silenceTimeout;
      if (media.kind === 'audio') {
        const stopWatching = watchSilence(life, clocks, {
          port,
          timeoutMs,
          prompt: () => port.say(silencePromptIn(assistant.config.language), signal),
          onTimeout: () => hangUp('local'),
        });
        return port.hear(signal).finally(stopWatching);
      }
      const last = record.entries.at(-1) ?? null;
      const isResumed = record.entries.length === entriesBefore;
      const facts = { timeoutMs, last, answeredAt: call().state.answeredAt, now: clock.now() };
      const stopWaiting = life.after(isResumed ? silenceLeftMs(facts) : timeoutMs, () => hangUp('local'));
      return port.hear(signal).finally(stopWaiting);
    };
  };

  const history = (): HistoryTurn[] => record.entries.map(toHistory);

  const converse = async (): Promise<void> => {
    const { signal } = talking;
    const opened = await usePort();
    if ('run' in opened) {
      const onTimeout = () => hangUp('local');
      const silence = { port: opened, timeoutMs: settings.silenceTimeout, onTimeout };
      const stopWatching = watchSilence(life, clocks, silence);
      return opened.run(signal).finally(stopWatching);
    }
    const engine = deps.findEngine(model);
    if (!engine) throw new Error(`No engine supports the model provider ${model.provider}`);
    const now = call();
    const own = ownTools();
    await engine.run(
      {
        direction: now.callType === 'outbound' ? 'outbound' : 'inbound',
        systemPrompt: assistant.systemPrompt,
        firstMessage: assistant.firstMessage,
        model,
        language: assistant.config.language,
        variables: now.dynamicVariables,
        tools: own.map((tool) => toEngineTool(tool, engine)),
        history: history(),
        signal,
        port: { say: opened.say, hear: hear(opened) },
      },
      { useTool: tools.useToolOf(own) },
    );
  };

  const stop = (why: string): void => talking.abort(new Error(why));

  const giveUp = createGiveUp({
    queue,
    media,
    assistant,
    isLive,
    turns,
    port: () => port,
    apologise: deps.apologise,
    hangUp,
  });

  return {
    stop,
    settled: async () => {
      await port?.settled();
      await (await recording)?.stop();
    },
    close: () => {
      port?.close();
      void recording?.then(({ stop }) => stop());
    },
    press: (digits) => {
      port?.press(digits);
      return port !== undefined && media.kind === 'audio';
    },
    write: (text) => port?.write(text),
    toolsDone: tools.done,
    begin: () => {
      const leftMs = maxDurationMs(call(), settings.maxCallDuration) - sinceMs(call().state.answeredAt);
      life.after(leftMs, () => hangUp('timed_out'));
      if (call().state.machineDetected) return;
      converse().then(
        () => hangUp('local'),
        (err: unknown) => {
          if (!talking.signal.aborted && !life.signal.aborted) void giveUp(err, 'human');
        },
      );
    },
    meetMachine: () => {
      stop('a machine picked up');
      leaveMessage(queue, assistant, { media, openPort: usePort }).then(
        () => hangUp('local'),
        (err: unknown) => {
          if (!life.signal.aborted) void giveUp(err, 'machine');
        },
      );
    },
  };
}

function toHistory(entry: Entry): HistoryTurn {
  if (entry.role !== 'tool') return { role: entry.role, content: entry.content };
  const { toolName, args, outcome } = entry;
  return { role: 'tool', toolName, args, result: outcome.result, error: outcome.error };
}
