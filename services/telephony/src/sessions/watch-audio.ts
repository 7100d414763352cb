import { type Clock, realSleep } from '@parley/kit/time';
import type { MediaClock, MediaSession } from '@parley/media';
import type { CallPort } from './open-live.ts';
import type { SessionLife } from './session-life.ts';

/** The call ends when no packet of the human arrives for this long. Real time. */
const MEDIA_LOST_MS = 20_000;
const MEDIA_CHECK_MS = 2_000;
/** Stack time. */
const SILENCE_CHECK_MS = 1_000;
/** Silence of a call that was taken over, after which the assistant asks for what was lost. Real time. */
const LOST_WORDS_MS = 1_500;
/** Between the end of the prompt and when the line counts as silent. Real time. */
const PROMPT_TOLERANCE_MS = 300;
/** A greeting ends with this much silence. Real time. */
const GREETING_PAUSE_MS = 1_500;
/** Rest of the beep after it was recognized, and a short pause. */
const AFTER_BEEP_MS = 900;
const MAX_GREETING_MS = 30_000;
const GREETING_CHECK_MS = 100;

/** Real milliseconds of the media clock, which unlike the machine's clock doesn't jump. */
type MediaTime = Pick<MediaClock, 'nowMs'>;

type Clocks = { clock: Clock; media: MediaTime };

/** Calls `onLost` when the audio of the human has stopped arriving. */
export function watchMedia(
  life: SessionLife,
  { clock, media }: Clocks,
  session: MediaSession,
  onLost: () => void,
): void {
  const beganMs = media.nowMs();
  const check = (): void => {
    const lastMs = session.stats().lastReceivedAtMs ?? beganMs;
    if (media.nowMs() - lastMs > MEDIA_LOST_MS) onLost();
    else life.after(MEDIA_CHECK_MS * clock.rate, check);
  };
  check();
}

type Silence = {
  port: CallPort;
  /** Stack time. */
  timeoutMs: number;
  /** Asks whether the human is still there; undefined: the line stays silent. */
  prompt?: () => Promise<unknown>;
  onTimeout: () => void;
};

/**
 * Watches a silence of both sides from its beginning: half of the timeout later the assistant asks, which doesn't restart the silence
 * [calls.26]; at its end `onTimeout` is called. Returns what ends the watch.
 */
export function watchSilence(life: SessionLife, { clock, media }: Clocks, silence: Silence): () => void {
  const { port, timeoutMs, prompt, onTimeout } = silence;
  let cancel = (): void => {};
  let isOver = false;
  /** Silence before the prompt, and when the prompt was over; a sound after that begins a new silence. */
  let before: { silentMs: number; promptedAtMs: number } | undefined;
  const silentForMs = (): number => {
    const sinceMs = port.silentSinceMs();
    if (sinceMs === null) return 0;
    if (before && sinceMs > before.promptedAtMs + PROMPT_TOLERANCE_MS) before = undefined;
    return (media.nowMs() - sinceMs) * clock.rate + (before?.silentMs ?? 0);
  };
  const ask = async (silentMs: number): Promise<void> => {
    await prompt?.().catch(() => {});
    before = { silentMs, promptedAtMs: media.nowMs() };
    if (!isOver) check();
  };
  const check = (): void => {
    const silentMs = silentForMs();
    const mayAsk = prompt !== undefined && !before;
    if (silentMs >= timeoutMs) onTimeout();
    else if (mayAsk && silentMs >= timeoutMs / 2) void ask(silentMs);
    else {
      const untilMs = mayAsk ? timeoutMs / 2 : timeoutMs;
      cancel = life.after(Math.min(untilMs - silentMs, SILENCE_CHECK_MS), check);
    }
  };
  check();
  return () => {
    isOver = true;
    cancel();
  };
}

/**
 * The human spoke, or was about to, while no worker had the call: if both sides are silent after that, `ask` is called once [calls.17].
 * Returns what ends the watch.
 */
export function askForLostWords(
  life: SessionLife,
  { clock, media }: Clocks,
  port: Pick<CallPort, 'silentSinceMs'>,
  ask: () => Promise<unknown>,
): () => void {
  const beganMs = media.nowMs();
  return life.after(LOST_WORDS_MS * clock.rate, () => {
    const sinceMs = port.silentSinceMs();
    if (sinceMs !== null && sinceMs <= beganMs) ask().catch(() => {});
  });
}

/** Resolves when the greeting of a machine is over: soon after its beep, or when it has been quiet for long. */
export async function greetingEnds(
  media: MediaTime,
  port: CallPort,
  beepAtMs: () => number | null,
  signal: AbortSignal,
): Promise<void> {
  const beganMs = media.nowMs();
  for (;;) {
    const nowMs = media.nowMs();
    const sinceMs = port.silentSinceMs();
    const isQuiet = sinceMs !== null && nowMs - Math.max(sinceMs, beganMs) >= GREETING_PAUSE_MS;
    const hasBeeped = nowMs - (beepAtMs() ?? nowMs) >= AFTER_BEEP_MS;
    if (hasBeeped || isQuiet || nowMs - beganMs >= MAX_GREETING_MS) return;
    await realSleep(GREETING_CHECK_MS, signal);
  }
}
