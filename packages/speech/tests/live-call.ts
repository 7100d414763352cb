import { createMemoryPair, createTicker, type MemoryPair } from '@parley/media';
import { audibleMs, createManualClock, createRandom, type ManualClock, tone } from '@parley/media/testing';
import {
  createLiveConversation,
  type LiveConversation,
  type LiveTurn,
  SpeechError,
  type SpeechErrorKind,
} from '../src/index.ts';
import type { LiveTool } from '../src/live/live-model.ts';
import { createLiveModelDouble, type LiveModelDouble } from './doubles/live-model-double.ts';

export const STEP_MS = 20;
export const TIMEOUT_MS = 3_000;
const TOOLS: LiveTool[] = [
  { name: 'stock', description: '', parameters: null, behavior: 'blocking', scheduling: 'when_idle' },
  { name: 'order', description: '', parameters: null, behavior: 'non_blocking', scheduling: 'when_idle' },
  { name: 'log', description: '', parameters: null, behavior: 'non_blocking', scheduling: 'silent' },
  { name: 'end_call', description: '', parameters: null, behavior: 'blocking', scheduling: 'when_idle' },
];

/** A conversation with a live model that does what the test says, on a clock that the test moves. */
export type LiveCall = {
  readonly clock: ManualClock;
  readonly pair: MemoryPair;
  readonly model: LiveModelDouble;
  readonly turns: { role: string; text: string; latency?: unknown; isInterrupted?: boolean }[];
  readonly used: { name: string; finish: (result: unknown) => void; reject: (reason: unknown) => void }[];
  readonly handles: string[];
  readonly failures: SpeechError[];
  readonly stop: AbortController;
  readonly conversation: LiveConversation;
  /** The reason with which the conversation has ended. */
  readonly end: unknown;
  /** What was said before the conversation. */
  history: LiveTurn[];
  open(given?: { opening?: string; handle?: string; isInterruptible?: boolean }): void;
  pass(ms: number): Promise<void>;
  /** The human makes a sound. */
  human(ms: number): void;
  asked(what: string): LiveModelDouble['asked'];
  said(): string[][];
  close(): void;
};

export const failure = (kind: SpeechErrorKind = 'unavailable'): SpeechError =>
  new SpeechError('live-double', kind, 'broken off');

export function createLiveCall(): LiveCall {
  const clock = createManualClock(1_000_000);
  const ticker = createTicker(clock, (error) => {
    throw error;
  });
  const pair = createMemoryPair({ clock, ticker, random: createRandom(7) });
  const model = createLiveModelDouble();
  const turns: LiveCall['turns'] = [];
  const used: LiveCall['used'] = [];
  const handles: string[] = [];
  const failures: SpeechError[] = [];
  const stop = new AbortController();
  let opened: LiveConversation | undefined;
  let end: unknown;

  const call: LiveCall = {
    clock,
    pair,
    model,
    turns,
    used,
    handles,
    failures,
    stop,
    history: [],
    get conversation() {
      if (!opened) throw new Error('The conversation is not open');
      return opened;
    },
    get end() {
      return end;
    },
    open: (given = {}) => {
      opened = createLiveConversation({
        media: pair.near,
        model,
        setup: {
          instructions: 'You sell tea.',
          language: 'en-US',
          tools: TOOLS,
          isInterruptible: given.isInterruptible ?? true,
        },
        handle: given.handle ?? null,
        history: () => [
          ...call.history,
          ...turns.map(
            ({ role, text }) => ({ role: role === 'user' ? 'user' : 'agent', content: text }) as const,
          ),
        ],
        opening: given.opening,
        endingTools: new Set(['end_call']),
        turns: {
          begin: (role, text) => {
            const turn = { role, text };
            turns.push(turn);
            return (corrected) => {
              Object.assign(turn, corrected);
              if (corrected.text === '') turns.splice(turns.indexOf(turn), 1);
            };
          },
        },
        useTool: (name) =>
          new Promise((resolve, reject) =>
            used.push({ name, finish: (result) => resolve({ result, error: null }), reject }),
          ),
        vad: (sampleRate) => ({
          isVoice: (samples) => audibleMs(samples, sampleRate) > 0,
          close: () => undefined,
        }),
        clock,
        timeoutMs: TIMEOUT_MS,
        onHandle: (handle) => handles.push(handle),
        onLatency: () => {},
        onFailure: (err) => failures.push(err),
        onKeys: () => {},
      });
      opened.run(stop.signal).catch((err: unknown) => {
        end = err;
      });
    },
    pass: async (ms) => {
      for (let left = ms; left > 0; left -= STEP_MS) {
        clock.advance(Math.min(STEP_MS, left));
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
    human: (ms) => {
      const playback = pair.far.play();
      playback.write(tone(300, ms, 8_000), 8_000);
      playback.end();
    },
    asked: (what) => model.asked.filter(([kind]) => kind === what),
    said: () => turns.map(({ role, text }) => [role, text]),
    close: () => {
      opened?.close();
      pair.close();
    },
  };
  return call;
}
