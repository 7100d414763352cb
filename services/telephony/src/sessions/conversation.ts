import { realSleep } from '@parley/kit/time';
import type { PreparedAssistant } from '../assistants/prepare-prompt.ts';
import type { CallUpdate } from '../carriers/call-update.ts';
import type { Media } from '../carriers/media.ts';
import type { FindEngine } from '../engines/engine.ts';
import { mediaClock } from '../speech/media-clock.ts';
import type { Apologize } from './apology.ts';
import { maxDurationMs } from './call.ts';
import { createConversationPort, type PortDeps } from './conversation-port.ts';
import { endFailedConversation } from './end-failed-conversation.ts';
import type { EventQueue } from './event-queue.ts';
import { createHistory } from './history.ts';
import type { OwnEndCause } from './judge-end.ts';
import { createListening } from './listening.ts';
import type { LivePort } from './open-live.ts';
import type { CallRecord } from './record.ts';
import type { RecordedPort } from './recorded-port.ts';
import { createToolAccess, type ToolAccessDeps, toEngineTool } from './tools/tool-access.ts';
import { toolsOfCall } from './tools/tools-of-call.ts';
import type { Transfers } from './transfers.ts';
import { createTurnRecord } from './turn-record.ts';
import { leaveMessage } from './voicemail.ts';
import { watchSilence } from './watch-audio.ts';

/** Maximum wait for the record of an aborted apology. Real time. */
const ABORTED_APOLOGY_MS = 500;

/** The conversation of an answered call: between the media of a leg, the engine and the tools. */
export type Conversation = {
  /** The call was answered, or is resumed: the assistant begins or continues. */
  begin(): void;
  /** A machine answered: the assistant stops, leaves its message if it has one, and hangs up [assistants.10]. */
  onMachineDetected(): void;
  /** The human pressed keys, reported by signalling. True: it adds the timeline entry itself, when the keys are complete. */
  press(digits: string): boolean;
  /** The human wrote. */
  write(text: string): void;
  /**
   * Stops, so that another worker can continue [calls.17]: records what the human has said, and leaves to that worker to repeat an answer
   * that was cut off. Running tools get this many real milliseconds to finish.
   */
  handOver(waitMs: number): Promise<void>;
  /** After `stop`: resolves when the last turn is stored with the words that were heard, and the audio recording is closed. */
  settled(): Promise<unknown>;
  close(): void;
  /** Pauses the recording, or ends the pause. */
  pauseRecording(isPaused: boolean): void;
  stop(why: string): void;
};

type Deps = ToolAccessDeps & PortDeps & { findEngine: FindEngine; apologize?: Apologize | undefined };

type Options = {
  queue: EventQueue;
  media: Media;
  /** The carrier itself ends a leg whose audio is missing or stops. */
  endsSilentLegs: boolean;
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
  const { life, log, clock, call, sinceMs } = queue;
  const { settings, model } = assistant.config;
  /** Aborts when the assistant no longer talks with the human, also since a machine has answered. */
  const talking = new AbortController();
  /** Aborts when the call is over or leaves this worker. */
  const here = new AbortController();
  const isLive = deps.live?.serves(model.provider) ?? false;
  let apology: Promise<void> | undefined;

  const turns = createTurnRecord({ queue, record, isHangingUp, hangUp });
  const history = createHistory(record, media.kind);
  const tools = createToolAccess(deps, { ...options, note: turns.note, signal: talking.signal });
  const ownTools = () => {
    const own = toolsOfCall(assistant, call().callType);
    return { tools: own, useTool: tools.useToolOf(own) };
  };
  const port = createConversationPort(deps, { ...options, isLive, turns, history, ownTools });
  const listening = createListening(options);

  const runLive = (opened: LivePort): Promise<void> => {
    const clocks = { clock, media: mediaClock };
    const silence = { port: opened, timeoutMs: settings.silenceTimeout, onTimeout: () => hangUp('local') };
    const stopWatching = watchSilence(life, clocks, silence);
    return opened.run(talking.signal).finally(stopWatching);
  };

  const runEngine = async (opened: RecordedPort): Promise<void> => {
    const engine = deps.findEngine(model);
    if (!engine) throw new Error(`No engine supports the model provider ${model.provider}`);
    const { callType, dynamicVariables: variables } = call();
    const own = ownTools();
    const input = {
      direction: callType === 'outbound' ? ('outbound' as const) : ('inbound' as const),
      systemPrompt: assistant.systemPrompt,
      firstMessage: assistant.firstMessage,
      model,
      language: assistant.config.language,
      variables,
      tools: own.tools.map((tool) => toEngineTool(tool, engine)),
      history: history.turns(),
      signal: talking.signal,
      port: { say: opened.say, hear: (signal: AbortSignal) => listening.hear(opened, signal) },
      log,
    };
    await engine.run(input, { useTool: own.useTool });
  };

  const converse = async (): Promise<void> => {
    const opened = await port.open();
    await ('run' in opened ? runLive(opened) : runEngine(opened));
  };

  /** Hangs up when the work is over, also if it failed; not if its signal ended it. */
  const hangUpAfter = (work: Promise<void>, { signal }: AbortController, to: 'human' | 'machine'): void => {
    const endFailed = (err: unknown): void => {
      if (signal.aborted || life.signal.aborted) return;
      const { apologize } = deps;
      const failed = { ...options, isLive, turns, port: port.opened(), apologize, signal: here.signal };
      apology = endFailedConversation(failed, err, to);
    };
    work.then(() => hangUp('local'), endFailed);
  };

  const stop = (why: string): void => {
    talking.abort(new Error(why));
    here.abort(new Error(why));
  };

  /** What the human is saying, and the tools that end before `timeUp`, become part of the record. */
  const finishTurns = async (timeUp: Promise<unknown>): Promise<void> => {
    await port.opened()?.letFinish?.();
    // The engine may have started another tool in the meantime, or it has turned out that a machine has answered.
    await Promise.race([Promise.all([tools.done(), queue.settled()]), timeUp]);
    if (!call().state.machineDetected) await port.opened()?.recordUnheard?.();
    // The entry of keys in the timeline is committed.
    await Promise.race([queue.settled(), timeUp]);
  };

  return {
    stop,
    handOver: async (waitMs) => {
      const timeUp = realSleep(waitMs, life.signal).catch(() => {});
      await Promise.race([tools.done(), timeUp]);
      if (!talking.signal.aborted) await finishTurns(timeUp);
      turns.handOver();
      stop('the call goes to another worker');
    },
    settled: async () => {
      await port.opened()?.settled();
      if (apology) await Promise.race([apology, realSleep(ABORTED_APOLOGY_MS)]);
      await port.stopRecording();
    },
    close: port.close,
    pauseRecording: port.pauseRecording,
    press: (digits) => {
      const opened = port.opened();
      opened?.press(digits);
      return opened !== undefined && media.kind === 'audio';
    },
    write: (text) => port.opened()?.write(text),
    begin: () => {
      const leftMs = maxDurationMs(call(), settings.maxCallDuration) - sinceMs(call().state.answeredAt);
      life.after(leftMs, () => hangUp('timed_out'));
      if (!call().state.machineDetected) hangUpAfter(converse(), talking, 'human');
    },
    onMachineDetected: () => {
      talking.abort(new Error('a machine picked up'));
      const message = leaveMessage(queue, assistant, {
        media,
        openPort: port.open,
        signal: here.signal,
      });
      hangUpAfter(message, here, 'machine');
    },
  };
}
