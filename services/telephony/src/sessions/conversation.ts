import { realSleep } from '@parley/kit/time';
import type { LiveRecording, RecordLive } from '../after-call/recordings/live/record-live.ts';
import type { PreparedAssistant } from '../assistants/prepare-prompt.ts';
import type { CallUpdate } from '../carriers/call-update.ts';
import type { Media } from '../carriers/media.ts';
import type { FindEngine } from '../engines/engine.ts';
import type { TextPort } from '../engines/text-port.ts';
import { repeatPleaseIn, silencePromptIn } from '../speech/fixed-sentences.ts';
import { mediaClock } from '../speech/media-clock.ts';
import type { Apologize } from './apology.ts';
import { maxDurationMs } from './call.ts';
import type { EventQueue } from './event-queue.ts';
import { createGiveUp, NoAudioError } from './give-up.ts';
import { createHistory } from './history.ts';
import type { OwnEndCause } from './judge-end.ts';
import type { LiveModels } from './live-models.ts';
import type { OpenAudio } from './open-audio.ts';
import type { CallPort, LivePort } from './open-live.ts';
import type { CallRecord } from './record.ts';
import { type RecordedPort, recordedText } from './recorded-port.ts';
import { silenceLeftMs } from './silence-left.ts';
import { createToolAccess, type ToolAccessDeps, toEngineTool } from './tools/tool-access.ts';
import { toolsOfCall } from './tools/tools-of-call.ts';
import type { Transfers } from './transfers.ts';
import { answerDetection, leaveMessage } from './voicemail.ts';
import { askForLostWords, watchMedia, watchSilence } from './watch-audio.ts';

/** Maximum wait for the record of an aborted apology. Real time. */
const ABORTED_APOLOGY_MS = 500;

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
  /**
   * Stops, so that another worker can continue [calls.17]: records what the human has said, and leaves to that worker to repeat an answer
   * that was cut off. Running tools get this many real milliseconds to finish.
   */
  handOver(waitMs: number): Promise<void>;
  /** After `stop`: resolves when the last turn, or apology, is recorded as it was heard and the recording is closed. */
  settled(): Promise<unknown>;
  close(): void;
  /** Pauses the recording, or ends the pause. */
  pauseRecording(isPaused: boolean): void;
  stop(why: string): void;
};

type Deps = ToolAccessDeps & {
  findEngine: FindEngine;
  openAudio?: OpenAudio | undefined;
  live?: LiveModels | undefined;
  apologize?: Apologize | undefined;
  recordLive?: RecordLive | undefined;
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
  isRecordingPaused: () => boolean;
  isHangingUp: () => boolean;
  hangUp: (cause: OwnEndCause) => void;
};

export function createConversation(deps: Deps, options: Options): Conversation {
  const { queue, media, assistant, record, isHangingUp, hangUp } = options;
  const { life, log, clock, call, sinceMs, post } = queue;
  const clocks = { clock, media: mediaClock };
  const { settings, model } = assistant.config;
  const talking = new AbortController();
  const leaving = new AbortController();
  const isLive = deps.live?.serves(model.provider) ?? false;
  let port: CallPort | undefined;
  let opening: Promise<RecordedPort | LivePort> | undefined;
  let recording: Promise<LiveRecording> | undefined;
  let givingUp: Promise<void> | undefined;
  const entriesBefore = record.entries.length;
  const history = createHistory(record, media.kind);

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

  let isHandedOver = false;
  const correct: CallRecord['correct'] = (entry, { isInterrupted, ...heard }) => {
    // Without `isInterrupted` the next worker answers the turn again (`history.ts`).
    const isFinal = !isHandedOver && isInterrupted !== undefined;
    record.correct(entry, isFinal ? { ...heard, isInterrupted } : heard);
  };
  const turns = { note, correct };
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
        isPaused: options.isRecordingPaused,
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
      const last = record.entries.at(-1) ?? null;
      const isResumed = record.entries.length === entriesBefore;
      if (media.kind === 'audio') {
        const { language } = assistant.config;
        const stopWatching = watchSilence(life, clocks, {
          port,
          timeoutMs,
          prompt: () => port.say(silencePromptIn(language), signal),
          onTimeout: () => hangUp('local'),
        });
        const ask = () => port.say(repeatPleaseIn(language), signal);
        const stopAsking = isResumed && last ? askForLostWords(life, clocks, port, ask) : undefined;
        return port.hear(signal).finally(() => {
          stopWatching();
          stopAsking?.();
        });
      }
      const facts = { timeoutMs, last, answeredAt: call().state.answeredAt, now: clock.now() };
      const stopWaiting = life.after(isResumed ? silenceLeftMs(facts) : timeoutMs, () => hangUp('local'));
      return port.hear(signal).finally(stopWaiting);
    };
  };

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
        history: history.turns(),
        signal,
        port: { say: opened.say, hear: hear(opened) },
        log,
      },
      { useTool: tools.useToolOf(own) },
    );
  };

  const stop = (why: string): void => {
    talking.abort(new Error(why));
    leaving.abort(new Error(why));
  };

  const giveUp = createGiveUp({
    queue,
    media,
    assistant,
    isLive,
    turns,
    port: () => port,
    apologize: deps.apologize,
    hangUp,
    signal: leaving.signal,
  });

  return {
    stop,
    handOver: async (waitMs) => {
      const late = realSleep(waitMs, life.signal).catch(() => {});
      await Promise.race([tools.done(), late]);
      if (!talking.signal.aborted) {
        await port?.letFinish?.();
        // The engine may have started another tool in the meantime, or it has turned out that a machine has answered.
        await Promise.race([Promise.all([tools.done(), queue.settled()]), late]);
        if (!call().state.machineDetected) await port?.recordUnheard?.();
        // The entry of keys in the timeline is committed.
        await Promise.race([queue.settled(), late]);
      }
      isHandedOver = true;
      stop('the call goes to another worker');
    },
    settled: async () => {
      await port?.settled();
      if (givingUp) await Promise.race([givingUp, realSleep(ABORTED_APOLOGY_MS)]);
      await (await recording)?.stop();
    },
    close: () => {
      port?.close();
      void recording?.then(({ stop }) => stop());
    },
    pauseRecording: (isPaused) => {
      // A recording that has not begun reads `isRecordingPaused`.
      void recording?.then(({ pause }) => pause(isPaused));
    },
    press: (digits) => {
      port?.press(digits);
      return port !== undefined && media.kind === 'audio';
    },
    write: (text) => port?.write(text),
    begin: () => {
      const leftMs = maxDurationMs(call(), settings.maxCallDuration) - sinceMs(call().state.answeredAt);
      life.after(leftMs, () => hangUp('timed_out'));
      if (call().state.machineDetected) return;
      converse().then(
        () => hangUp('local'),
        (err: unknown) => {
          if (!talking.signal.aborted && !life.signal.aborted) givingUp = giveUp(err, 'human');
        },
      );
    },
    meetMachine: () => {
      talking.abort(new Error('a machine picked up'));
      leaveMessage(queue, assistant, { media, openPort: usePort, signal: leaving.signal }).then(
        () => hangUp('local'),
        (err: unknown) => {
          if (!leaving.signal.aborted && !life.signal.aborted) givingUp = giveUp(err, 'machine');
        },
      );
    },
  };
}
