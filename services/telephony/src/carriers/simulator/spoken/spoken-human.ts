import type { Clock } from '@parley/kit/time';
import { comfortNoise, FRAME_MS, type MediaSession, samplesIn } from '@parley/media';
import type { LegSoFar } from '../../call-control.ts';
import { type HumanMove, nextMove, type Script } from '../script.ts';
import type { HumanBehavior } from './human-behavior.ts';
import { toneOf } from './tone-of.ts';
import { createVoiceDetector } from './voice-detector.ts';
import { type Audio, withoutLeadingSilence } from './without-leading-silence.ts';

/** The samples of a line. */
export type HumanVoice = (line: string, signal: AbortSignal) => Promise<Audio>;

export type SpokenHumanOptions = {
  script: Script;
  behavior: HumanBehavior;
  soFar: LegSoFar;
  /** The human's end of the line. */
  line: MediaSession;
  voice: HumanVoice;
  /** `GREETING`, synthesized: a machine begins with it at once. */
  greeting: () => Promise<Audio>;
  clock: Clock;
  random: () => number;
  onHangup: () => void;
  /** Called with the number of lines said so far. */
  onSaid: (lines: number) => void;
};

export type SpokenHuman = { start(): void; stop(): void };

/** How long the person waits for the other side to begin, and pauses before answering. */
const START_AFTER_MS = 2_500;
const PAUSE_MS = 300;
/** How long the assistant speaks before the person interrupts it or says "all right". */
const OVER_MS = 1_200;
/** A backchannel that flite speaks as a word and pocketsphinx recognizes: "mhm" becomes three letters. */
const ACKNOWLEDGEMENT = 'All right.';
/** The assistant pauses for these words until they are recognized: a silence that begins with them is not the end of its turn yet. */
const ACKNOWLEDGED_MS = 1_500;
const RESUMES_MS = 3_000;
const NOISE_BELOW_FULL_SCALE_DB = 48;
/** What an answering machine says. */
export const GREETING = 'You have reached our voicemail. Please leave a message after the tone.';
const BEEP = { hertz: 1_000, ms: 400, sampleRate: 8_000 };
/** The person does not recognize the answer that there are no more tools. */
const MAX_TOOL_REQUESTS = 6;

/** A simulated person on a line with audio, in real time. It hears when the other side speaks, not what it says. */
export function createSpokenHuman(options: SpokenHumanOptions): SpokenHuman {
  const { script, behavior, soFar, line, voice, greeting, clock, random, onHangup, onSaid } = options;
  const detector = createVoiceDetector();
  const over = new AbortController();
  const ends: (() => void)[] = [];
  let spoken = linesSaid(soFar);
  let cancelMove = (): void => {};
  let isSpeaking = false;
  let hasInterrupted = false;
  let hasAcknowledged = false;
  /** In milliseconds of heard audio; Infinity: the person is saying it. */
  let acknowledgedAtMs = Number.NEGATIVE_INFINITY;
  /** The line that interrupts the assistant: synthesized at that moment, it would come too late for a short greeting. */
  let prepared: { text: string; audio: Promise<Audio> } | undefined;
  /** In milliseconds of heard audio; speech that began earlier does not answer the line. */
  let lineBeganAtMs = Number.NEGATIVE_INFINITY;

  const nextOwnMove = (): HumanMove =>
    script.kind === 'tools' && spoken >= MAX_TOOL_REQUESTS ? HANGS_UP : nextMove(script, spoken, null);

  const prepare = (): void => {
    if (!behavior.interrupts || hasInterrupted) return;
    const next = nextOwnMove();
    if (next.type !== 'say' || next.line === prepared?.text) return;
    const audio = voice(next.line, over.signal).then(withoutLeadingSilence);
    audio.catch(() => {});
    prepared = { text: next.line, audio };
  };

  const play = async (samples: Int16Array, sampleRate: number): Promise<void> => {
    const playback = line.play();
    playback.write(samples, sampleRate);
    playback.end();
    await playback.done;
  };

  const utter = async (text: string): Promise<void> => {
    const { samples, sampleRate } = await (prepared?.text === text
      ? prepared.audio
      : voice(text, over.signal));
    if (!over.signal.aborted) await play(samples, sampleRate);
  };

  const answerAsMachine = async (): Promise<void> => {
    for (const { samples, sampleRate } of [await greeting(), toneOf(BEEP)])
      if (!over.signal.aborted) await play(samples, sampleRate);
  };

  const speak = async (text: string): Promise<void> => {
    isSpeaking = true;
    hasAcknowledged = false;
    lineBeganAtMs = detector.nowMs();
    if (spoken === 0 && behavior.keys) await line.sendDigits(behavior.keys);
    else await utter(text);
    isSpeaking = false;
    if (over.signal.aborted) return;
    spoken += 1;
    onSaid(spoken);
    prepare();
    // The other side has begun, and stopped, before the line was over.
    if (!detector.isHearing() && detector.beganAtMs() > lineBeganAtMs) plan(PAUSE_MS);
  };

  const acknowledge = async (): Promise<void> => {
    hasAcknowledged = true;
    acknowledgedAtMs = Number.POSITIVE_INFINITY;
    await utter(ACKNOWLEDGEMENT).catch(() => {});
    acknowledgedAtMs = detector.nowMs();
  };

  const move = (): void => {
    const next = nextOwnMove();
    if (next.type === 'hang_up') onHangup();
    else if (next.type === 'say') void speak(next.line).catch(() => {});
  };

  const plan = (afterMs: number): void => {
    cancelMove();
    if (!over.signal.aborted) cancelMove = clock.timer(afterMs, move);
  };

  const whileHearing = (): void => {
    if (isSpeaking || detector.lastsMs() < OVER_MS) return;
    if (behavior.interrupts && !hasInterrupted) {
      hasInterrupted = true;
      move();
    } else if (behavior.acknowledges && !hasAcknowledged) {
      void acknowledge();
    }
  };

  const listen = (): void => {
    ends.push(
      line.onFrame((frame) => {
        const change = detector.hear(frame);
        if (change === 'begun') cancelMove();
        if (detector.isHearing()) whileHearing();
        if (change !== 'over') return;
        const mayResume = detector.nowMs() - acknowledgedAtMs < ACKNOWLEDGED_MS;
        if (!isSpeaking && detector.beganAtMs() > lineBeganAtMs) plan(mayResume ? RESUMES_MS : PAUSE_MS);
      }),
    );
  };

  return {
    start: () => {
      if (behavior.hasNoise) {
        const samples = samplesIn(FRAME_MS, line.sampleRate);
        ends.push(line.addSource(() => comfortNoise(samples, NOISE_BELOW_FULL_SCALE_DB, random)));
      }
      if (behavior.isMachine) {
        void answerAsMachine().catch(() => {});
        return;
      }
      listen();
      prepare();
      // It is the assistant's turn, or it is still speaking.
      if (soFar.lastSpeaker !== 'user')
        plan(soFar.lastSpeaker === null ? START_AFTER_MS : 2 * START_AFTER_MS);
    },
    stop: () => {
      over.abort(new Error('the leg is over'));
      cancelMove();
      for (const end of ends) end();
    },
  };
}

const HANGS_UP = { type: 'hang_up' } as const;

/** The adapter's own count is exact; turns may not be, because two lines may have been recognized as one turn. */
function linesSaid({ state, humanTurns }: LegSoFar): number {
  const { spoken } = (state ?? {}) as { spoken?: unknown };
  return typeof spoken === 'number' ? spoken : humanTurns;
}
