import { FRAME_MS, type MediaSession } from '@parley/media';
import { type AnsweredBy, createBeepDetector, createMachineDetector, type SpokenEvent } from '@parley/speech';

/** The beginning of a call whose far end may be a machine [calls.25]. */
export type AnswerDetection = {
  language: string;
  /** Milliseconds since the answer. */
  sinceMs: number;
  /** Called once, within four seconds of the answer. */
  onVerdict: (answeredBy: AnsweredBy) => void;
};

/** Detects the beep after a greeting. Returns when it was heard last, in real milliseconds since the epoch; null: not yet. */
export function watchBeep(session: MediaSession): () => number | null {
  const isBeep = createBeepDetector();
  let lastMs: number | null = null;
  session.onFrame((frame) => {
    if (isBeep(frame)) lastMs = frame.atMs;
  });
  return () => lastMs;
}

/** Decides from the far end's audio whether a human or a machine answered. Returns a listener for the events of the conversation. */
export function detectAnswer(
  session: MediaSession,
  { language, sinceMs, onVerdict }: AnswerDetection,
): (event: SpokenEvent) => void {
  const detector = createMachineDetector(language);
  const isBeep = createBeepDetector();
  let nowMs = sinceMs;
  let isSpeaking = false;
  let isDecided = false;
  const stop = session.onFrame((frame) => {
    nowMs += FRAME_MS;
    if (isBeep(frame)) detector.beep(nowMs);
    detector.speech(isSpeaking, nowMs);
    const verdict = detector.verdict(nowMs);
    if (verdict === undefined || isDecided) return;
    isDecided = true;
    stop();
    onVerdict(verdict);
  });
  return (event) => {
    if (event.type === 'speech_started') isSpeaking = true;
    if (event.type === 'speech_stopped') isSpeaking = false;
    if (event.type === 'interim') detector.words(event.text, nowMs);
  };
}
