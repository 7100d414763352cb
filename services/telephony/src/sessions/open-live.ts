import type { Log } from '@parley/kit/log';
import type { MediaSession } from '@parley/media';
import { createLiveConversation, createLiveModel, type LiveModel, loadVoiceActivity } from '@parley/speech';
import { type LiveModelConfig, liveVoicesOf } from '@parley/speech/providers';
import type { PreparedAssistant } from '../assistants/prepare-prompt.ts';
import type { EngineOutput, EngineTool, HistoryTurn } from '../engines/engine.ts';
import type { Spoken } from '../engines/text-port.ts';
import { loadOnce } from '../load-once.ts';
import { mediaClock } from '../speech/media-clock.ts';
import type { WorkerMetrics } from '../worker-metrics.ts';
import type { Call } from './call.ts';
import { type AnswerDetection, detectAnswer } from './detect-answer.ts';
import type { History } from './history.ts';
import { beginningOf, type LiveState, toLiveState } from './live-beginning.ts';
import type { RecordedPort } from './recorded-port.ts';
import { traceAnswer } from './trace-of-call.ts';
import type { TurnRecord } from './turn-record.ts';

/** The speech or text port of a conversation, with or without a live model. */
export type CallPort = Pick<RecordedPort, 'press' | 'write' | 'settled' | 'silentSinceMs' | 'close'> & {
  say(text: string, signal: AbortSignal): Promise<Spoken>;
  /** These two are absent with a live model, which records what it has heard itself. */
  letFinish?(): Promise<void>;
  recordUnheard?(): Promise<void>;
};

/** A model that listens and talks itself. */
export type LivePort = CallPort & {
  /** Conducts the conversation; rejects with the signal's reason, or with SpeechError if the model can't continue. */
  run(signal: AbortSignal): Promise<void>;
};

export type LiveCall = {
  session: MediaSession;
  assistant: PreparedAssistant;
  call: Call;
  tools: readonly EngineTool[];
  record: TurnRecord;
  history: History;
  useTool: EngineOutput['useTool'];
  onKeys: (digits: string) => void;
  /** Undefined: a machine is treated like a human. */
  detection?: AnswerDetection | undefined;
};

export type OpenLive = (call: LiveCall) => Promise<LivePort>;

export type LiveDeps = {
  models: readonly LiveModelConfig[];
  metrics: Pick<WorkerMetrics, 'answered'>;
  log: Log;
  /** Maximum silence of a model that has to answer; real time. */
  timeoutMs: number;
  saveState: (call: Call, state: unknown) => Promise<void>;
};

const ENDING_TOOLS: ReadonlySet<string> = new Set(['end_call', 'transfer_call']);

/** Loaded only by workers with a carrier of audio. */
export async function createOpenLive(
  deps: LiveDeps,
  createModel: (config: LiveModelConfig) => Promise<LiveModel> = createLiveModel,
): Promise<OpenLive> {
  const vad = await loadVoiceActivity();
  const models = deps.models.map((config) => ({ config, load: loadOnce(() => createModel(config)) }));
  return async ({ session, assistant, call, tools, record, history, useTool, onKeys, detection }) => {
    const { config } = assistant;
    const { provider } = config.model;
    const chosen = models.find((each) => each.config.name === provider);
    if (!chosen) throw new Error(`No live model has the name ${provider}`);
    const log = deps.log.child({ callId: call.id });
    const writeState = createStateWriter(
      (state) => deps.saveState(call, state),
      (err) => log.warn({ err }, 'state of a live model was not stored'),
    );
    const conversation = createLiveConversation({
      media: session,
      model: await chosen.load(),
      setup: setupOf(assistant, chosen.config, tools),
      history: () => history.turns().map(toLiveTurn),
      ...beginningOf(assistant, provider, call, history),
      endingTools: ENDING_TOOLS,
      turns: {
        begin: (role, content) => {
          const entry = record.note({ role, content });
          return ({ text, ...how }) => {
            if (entry) record.correct(entry, { content: text, ...how });
          };
        },
      },
      useTool,
      vad,
      clock: mediaClock,
      timeoutMs: deps.timeoutMs,
      onHandle: (handle) => writeState(toLiveState(provider, handle, history)),
      onLatency: (latency) => {
        const providers = { stt: provider, model: provider, tts: provider };
        deps.metrics.answered(latency, providers);
        traceAnswer(call, latency, { nowMs: mediaClock.nowMs(), providers });
      },
      onFailure: (err) => log.warn({ err }, 'a live model failed'),
      onKeys,
      ...(detection && { onHeard: detectAnswer(session, detection) }),
    });
    return {
      run: conversation.run,
      say: conversation.sayExactly,
      press: (digits) => {
        for (const digit of digits) conversation.press(digit);
      },
      write: conversation.sendText,
      settled: conversation.settled,
      silentSinceMs: () => conversation.silentSinceMs,
      close: conversation.close,
    };
  };
}

function setupOf(
  { systemPrompt, config }: PreparedAssistant,
  chosen: LiveModelConfig,
  tools: readonly EngineTool[],
) {
  const { language, model, voice, settings } = config;
  return {
    // The default name is that of the built-in engine.
    model: model.name.startsWith('scripted-') ? undefined : model.name,
    instructions: `${systemPrompt}\n\nYou are on a phone call: speak in a few short sentences at a time. Unless you were told otherwise, speak the language ${language}.`,
    // An assistant keeps the voice of another provider when it changes its model [assistants.20].
    voiceId: liveVoicesOf(chosen).includes(voice.voiceId) ? voice.voiceId : undefined,
    speed: voice.speed,
    temperature: model.temperature,
    language,
    tools: tools.map(({ tool_name: name, description, parameters, tool_behavior, result_scheduling }) => ({
      name,
      description: description ?? '',
      parameters,
      behavior: tool_behavior,
      scheduling: result_scheduling,
    })),
    silenceMs: settings.endpointing.silenceMs,
    isInterruptible: settings.interruption.enabled,
  };
}

function toLiveTurn(turn: HistoryTurn) {
  return turn.role === 'tool' ? { ...turn, name: turn.toolName } : turn;
}

/** One write at a time; of the states that arrive during it only the last is written. */
function createStateWriter(write: (state: LiveState) => Promise<void>, onError: (err: unknown) => void) {
  let next: LiveState | undefined;
  let isWriting = false;
  const run = async (): Promise<void> => {
    isWriting = true;
    while (next !== undefined) {
      const state = next;
      next = undefined;
      await write(state).catch(onError);
    }
    isWriting = false;
  };
  return (state: LiveState): void => {
    next = state;
    if (!isWriting) void run();
  };
}
