import type { LiveRecording, LiveRecordings } from '../after-call/recordings/live/live-recordings.ts';
import type { PreparedAssistant } from '../assistants/prepare-prompt.ts';
import type { CallNews } from '../carriers/call-news.ts';
import type { Media } from '../carriers/media.ts';
import type { ConversationEngine, EngineTool, FindEngine, HistoryTurn } from '../engines/engine.ts';
import type { TextPort } from '../engines/text-port.ts';
import { maxDurationMs } from './call.ts';
import { apologyIn, silencePromptIn } from './courtesies.ts';
import type { AnswerDetection } from './detect-answer.ts';
import type { EventQueue, OwnEndCause } from './event-queue.ts';
import type { LiveModels } from './live-models.ts';
import type { OpenAudio } from './open-audio.ts';
import type { CallPort, LivePort } from './open-live.ts';
import type { CallWrites, Entry, Owner, ToolsUnderWay } from './ports.ts';
import type { CallRecord } from './record.ts';
import { type RecordedPort, recordedText } from './recorded-port.ts';
import { silenceLeftMs } from './silence-left.ts';
import { type CallTool, reachesOut } from './tools/call-tool.ts';
import type { ToolInvocation, ToolRunner } from './tools/run-tool.ts';
import { failed, succeeded, type ToolOutcome } from './tools/tool-outcome.ts';
import { toolsOfCall } from './tools/tools-of-call.ts';
import { createToolUse, type ToolUse } from './tools/use-tools.ts';
import type { Transfers } from './transfers.ts';
import { greetingEnds, watchMedia, watchSilence } from './watch-audio.ts';

/** The conversation of an answered call: between the media of a leg, the engine and the tools. */
export type Conversation = {
  /** The call was answered, or is resumed: the assistant begins or continues. */
  begin(): void;
  /** A machine answered: the assistant stops, leaves its message if it has one, and hangs up [assistants.10]. */
  meetMachine(): void;
  /** The human pressed keys. */
  press(digits: string): void;
  /** The human wrote. */
  write(text: string): void;
  /** After `stop`: resolves when the last turn is corrected to what was heard and the recording is closed. */
  settled(): Promise<unknown>;
  close(): void;
  /** Resolves when no tool is running. */
  toolsDone(): Promise<void>;
  stop(why: string): void;
};

type Deps = {
  owner: Owner;
  writes: CallWrites;
  toolsUnderWay: ToolsUnderWay;
  findEngine: FindEngine;
  openAudio?: OpenAudio | undefined;
  live?: LiveModels | undefined;
  recordLive?: LiveRecordings['start'] | undefined;
  runTool: ToolRunner;
};

type Options = {
  queue: EventQueue;
  media: Media;
  /** The carrier ends the call itself if the audio breaks off. */
  endsLostLegs: boolean;
  /** Shows the human what happens. */
  show: (news: CallNews) => void;
  assistant: PreparedAssistant;
  record: CallRecord;
  transfers: Transfers;
  isHangingUp: () => boolean;
  hangUp: (cause: OwnEndCause) => void;
  /** The conversation failed: the call ends with `error`. */
  fail: (err: unknown) => void;
};

/** For an apology when a provider of speech has failed. Real time. */
const APOLOGY_MS = 10_000;

export function createConversation(deps: Deps, options: Options): Conversation {
  const { queue, media, show, assistant, record, transfers, isHangingUp, hangUp, fail } = options;
  const { life, log, clock, call, sinceMs, post } = queue;
  const { settings, model } = assistant.config;
  const talking = new AbortController();
  const running = new Set<Promise<unknown>>();
  const isLive = deps.live?.serves(model.provider) ?? false;
  let port: CallPort | undefined;
  let opening: Promise<RecordedPort | LivePort> | undefined;
  let recording: Promise<LiveRecording> | undefined;
  const entriesBefore = record.entries.length;

  const note: CallRecord['add'] = (entry) => {
    const written = record.add(entry);
    if (record.isFull() && !isHangingUp()) {
      log.warn({ turns: record.entries.length }, 'the call has used up its turns and is ended');
      hangUp('local');
    }
    return written;
  };

  /** Only the callee of an outbound call may be a machine, and only at the beginning of the call. */
  const detection = (): AnswerDetection | undefined => {
    const elapsedMs = sinceMs(call().state.answeredAt);
    const isNew = record.entries.length === 0 && !call().state.machineDetected;
    if (call().callType !== 'outbound' || !settings.voicemail.detection || !isNew) return undefined;
    return {
      language: assistant.config.language,
      sinceMs: elapsedMs,
      onVerdict: (answeredBy) => {
        log.info({ answeredBy }, 'the call was answered');
        if (answeredBy === 'machine')
          void post({ type: 'machine_detected', legId: call().state.callSid, at: clock.now() });
      },
    };
  };

  const turns = { note, correct: record.correct };

  const openPort = async (): Promise<RecordedPort | LivePort> => {
    if (media.kind === 'text') {
      if (isLive) throw new NoAudioError();
      return recordedText(media.line, { record: turns, nowMs: () => clock.realNow().getTime() });
    }
    const { session } = media;
    const onKeys = (digits: string): void =>
      void post({
        type: 'noted',
        entry: { type: 'dtmf', at: clock.now(), detail: { digits, direction: 'received' } },
      });
    if (settings.recording.enabled)
      recording = deps.recordLive?.(call(), session, {
        sinceAnswerMs: sinceMs(call().state.answeredAt),
        signal: life.signal,
      });
    if (!options.endsLostLegs) watchMedia(life, clock, session, () => hangUp('media_lost'));
    const scene = { session, call: call(), record: turns, onKeys, detection: detection() };
    if (isLive && deps.live?.open) return deps.live.open({ ...liveParts(), ...scene });
    if (!deps.openAudio) throw new Error('this worker carries no audio');
    return deps.openAudio({ ...scene, config: assistant.config });
  };

  /** The port through which everything in the call is said and heard. */
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
        const stopWatching = watchSilence(life, clock, {
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

  /** Whether a tool may run here. A tool with effects elsewhere is recorded first, so that it is never repeated. */
  const beginTool = async ({ id, tool, args }: ToolInvocation): Promise<boolean> => {
    if (!(await deps.writes.holds(deps.owner, call()))) return false;
    if (!reachesOut(tool)) return true;
    const { tool_name: toolName, tool_type: toolType, description } = tool;
    const begun = { toolCallId: id, toolName, toolType, description, args };
    return deps.toolsUnderWay.begin(deps.owner, call(), begun);
  };

  const toolUse = (signal: AbortSignal): ToolUse => ({
    now: clock.now,
    runTool: (invocation, aborts) => {
      const begin = () => beginTool(invocation);
      const scene = { call: call(), assistant, transfer: transfers.request, begin };
      const { id, tool } = invocation;
      const showTool = (status: 'running' | 'done' | 'failed'): void =>
        show({ type: 'tool', id, name: tool.tool_name, status });
      showTool('running');
      const run = deps.runTool(scene, invocation, aborts);
      running.add(run);
      void run.then(
        ({ error }) => showTool(error === null ? 'done' : 'failed'),
        () => showTool('failed'),
      );
      return run.finally(() => running.delete(run));
    },
    cutOff: (tool) => cutOff(tool, signal, transfers),
    onUsed: ({ source }) => {
      if (source.kind === 'report_voicemail') {
        void post({ type: 'machine_detected', legId: call().state.callSid, at: clock.now() });
        return 'ends';
      }
      if (source.kind !== 'native') return 'continues';
      if (source.tool.tool_name === 'end_call') hangUp('local');
      // After a transfer the carrier reports the end of the call.
      else if (source.tool.tool_name !== 'transfer_call') return 'continues';
      return 'ends';
    },
  });

  const history = (): HistoryTurn[] => record.entries.map(toHistory);
  const useToolOf = (tools: readonly CallTool[]) => {
    const { signal } = talking;
    return createToolUse(toolUse(signal), { call: call(), tools, record: record.entries, note, signal });
  };

  const liveParts = () => {
    const tools = toolsOfCall(assistant, call().callType);
    return { assistant, call: call(), tools, history, useTool: useToolOf(tools) };
  };

  const converse = async (): Promise<void> => {
    const { signal } = talking;
    const opened = await usePort();
    if ('run' in opened) {
      const onTimeout = () => hangUp('local');
      const silence = { port: opened, timeoutMs: settings.silenceTimeout, onTimeout };
      const stopWatching = watchSilence(life, clock, silence);
      return opened.run(signal).finally(stopWatching);
    }
    const engine = deps.findEngine(model);
    if (!engine) throw new Error(`No engine supports the model provider ${model.provider}`);
    const now = call();
    const tools = toolsOfCall(assistant, now.callType);
    await engine.run(
      {
        direction: now.callType === 'outbound' ? 'outbound' : 'inbound',
        systemPrompt: assistant.systemPrompt,
        firstMessage: assistant.firstMessage,
        model,
        language: assistant.config.language,
        variables: now.dynamicVariables,
        tools: tools.map((tool) => toEngineTool(tool, engine)),
        history: history(),
        signal,
        port: { say: opened.say, hear: hear(opened) },
      },
      { useTool: useToolOf(tools) },
    );
  };

  const leaveMessage = async (): Promise<void> => {
    if (settings.voicemail.action !== 'leave_message' || call().state.voicemailMessageLeft) return;
    const opened = await usePort();
    if (media.kind === 'audio') {
      const { watchBeep } = await import('./detect-answer.ts');
      await greetingEnds(clock, opened, watchBeep(media.session), life.signal);
    }
    // If the greeting had not ended and interrupts the message, the message is said once more.
    const say = async (): Promise<boolean> => {
      // The words of the greeting may be known only now: they don't interrupt.
      if ('forget' in opened) opened.forget?.();
      return !(await opened.say(assistant.voicemailMessage, life.signal)).isInterrupted;
    };
    const isLeft = (await say()) || (await say());
    if (isLeft) await post({ type: 'message_left' });
  };

  const stop = (why: string): void => talking.abort(new Error(why));

  /** Apologises if a provider can still speak, and ends the call [calls.20]. */
  const giveUp = async (err: unknown): Promise<void> => {
    if (err instanceof NoAudioError) {
      log.error({ provider: model.provider }, 'a live model cannot talk on a line of text');
      hangUp('no_audio');
    } else if (!isSpeechError(err)) fail(err);
    else if (isLive) {
      log.error({ err }, 'the live model of a call failed');
      if (media.kind === 'audio') {
        const { session } = media;
        const scene = { session, config: assistant.config, record: turns, signal: life.signal };
        await deps.live?.apologise?.(scene);
      }
      hangUp('model_failed');
    } else {
      log.error({ err }, 'no provider of speech serves the call');
      const signal = AbortSignal.any([life.signal, AbortSignal.timeout(APOLOGY_MS)]);
      await port?.say(apologyIn(assistant.config.language), signal).catch(() => {});
      hangUp('no_speech');
    }
  };

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
    press: (digits) => port?.press(digits),
    write: (text) => port?.write(text),
    toolsDone: async () => {
      await Promise.all(running);
    },
    begin: () => {
      const leftMs = maxDurationMs(call(), settings.maxCallDuration) - sinceMs(call().state.answeredAt);
      life.after(leftMs, () => hangUp('timed_out'));
      if (call().state.machineDetected) return;
      converse().then(
        () => hangUp('local'),
        (err: unknown) => {
          if (!talking.signal.aborted && !life.signal.aborted) void giveUp(err);
        },
      );
    },
    meetMachine: () => {
      stop('a machine picked up');
      leaveMessage().then(
        () => hangUp('local'),
        (err: unknown) => {
          if (life.signal.aborted) return;
          if (isLive && isSpeechError(err)) hangUp('model_failed');
          else fail(err);
        },
      );
    },
  };
}

/** The line carries words, and the model doesn't. */
class NoAudioError extends Error {}

/** Recognised by name, so that the package is loaded only where there is audio. */
function isSpeechError(err: unknown): boolean {
  return err instanceof Error && err.name === 'SpeechError';
}

function cutOff({ tool_name }: CallTool, { reason }: AbortSignal, transfers: Transfers): ToolOutcome {
  return tool_name === 'transfer_call' && transfers.isDone()
    ? succeeded({ status: 'transferred' })
    : failed(`The result was not awaited: ${reason instanceof Error ? reason.message : 'the call is over'}`);
}

/** Without its secrets; only an engine that runs beside its tools learns that a tool may be non-blocking. */
export function toEngineTool(
  { tool_name, tool_type, description, parameters, tool_behavior, result_scheduling }: EngineTool,
  { capabilities }: ConversationEngine,
): EngineTool {
  const behavior = capabilities.nonBlockingTools ? tool_behavior : 'blocking';
  return { tool_name, tool_type, description, parameters, tool_behavior: behavior, result_scheduling };
}

function toHistory(entry: Entry): HistoryTurn {
  if (entry.role !== 'tool') return { role: entry.role, content: entry.content };
  const { toolName, args, outcome } = entry;
  return { role: 'tool', toolName, args, result: outcome.result, error: outcome.error };
}
