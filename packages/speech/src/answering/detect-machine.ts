import { type AudioFrame, FRAME_MS, levelDb } from '@parley/media';

// Detects whether a human or a machine answered, from the length of the first words, their content, and a beep.
//
// | heard within the first 4 s | verdict |
// | -                          | -       |
// | words of a greeting ("leave a message"), or a beep                  | machine |
// | speech from the beginning that goes on for 2.4 s without a pause    | machine |
// | a short stretch of speech ("Hello?") and then silence               | human   |
// | anything else                                                       | unknown, which is treated like a human |

export type AnsweredBy = 'human' | 'machine' | 'unknown';

const MAX_DETECTION_MS = 4_000;
/** A greeting begins soon after the answer. */
const GREETING_BEGINS_MS = 1_500;
const GREETING_MS = 2_400;
/** A greeting pauses between its sentences; a human who waits for an answer pauses for longer. */
const SENTENCE_PAUSE_MS = 500;
const WAITING_MS = 800;

/** Judges the beginning of one call. Times are milliseconds since the answer. */
export type MachineDetector = {
  /** Call when the far end starts or stops speaking. */
  speech(isSpeaking: boolean, atMs: number): void;
  words(text: string, atMs: number): void;
  beep(atMs: number): void;
  /** Undefined: not decided yet. */
  verdict(nowMs: number): AnsweredBy | undefined;
};

export function createMachineDetector(language: string): MachineDetector {
  let decided: AnsweredBy | undefined;
  let beganMs: number | undefined;
  let lastVoiceMs = 0;

  const decide = (verdict: AnsweredBy, atMs: number): void => {
    if (atMs <= MAX_DETECTION_MS) decided ??= verdict;
  };
  const judge = (nowMs: number): void => {
    if (beganMs === undefined) return;
    const lastsMs = lastVoiceMs - beganMs;
    if (beganMs <= GREETING_BEGINS_MS && lastsMs >= GREETING_MS) decide('machine', lastVoiceMs);
    if (nowMs - lastVoiceMs >= WAITING_MS && lastsMs < GREETING_MS) decide('human', nowMs);
  };
  return {
    speech(isSpeaking, atMs) {
      if (isSpeaking) {
        if (beganMs === undefined || atMs - lastVoiceMs > SENTENCE_PAUSE_MS + FRAME_MS) beganMs = atMs;
        lastVoiceMs = atMs;
      }
      judge(atMs);
    },
    words(text, atMs) {
      if (isGreeting(text, language)) decide('machine', atMs);
    },
    beep: (atMs) => decide('machine', atMs),
    verdict(nowMs) {
      judge(nowMs);
      if (nowMs >= MAX_DETECTION_MS) decided ??= 'unknown';
      return decided;
    },
  };
}

// cspell:disable
const GREETINGS: Readonly<Record<string, RegExp>> = {
  en: /voice ?mail|mailbox|answering machine|leave (?:a|your|us a) (?:message|name)|after the (?:tone|beep)|(?:is|am|are) not available|can(?:no|')t (?:take|come)|you(?:'ve| have) reached/i,
  de: /mailbox|anrufbeantworter|nachricht hinterlassen|hinterlassen sie|signalton|piepton|nicht erreichbar/i,
  es: /buz[oó]n|contestador|deje (?:su|un) mensaje|despu[eé]s (?:de la se[nñ]al|del tono)|no est[aá] disponible/i,
  fr: /messagerie|r[eé]pondeur|laissez? (?:un|votre) message|apr[eè]s le (?:bip|signal)|pas disponible|injoignable/i,
};
// cspell:enable

/** Whether the words are those of an answering machine. English ones count in any language: networks speak it. */
function isGreeting(text: string, language: string): boolean {
  const own = GREETINGS[language.slice(0, 2).toLowerCase()];
  return (own?.test(text) || GREETINGS.en?.test(text)) ?? false;
}

const BEEP_MS = 200;
const BEEP_LEVEL_DB = -35;
/** Maximum residual energy, as a share of the frame's, after predicting a pure tone. */
const MAX_RESIDUE = 0.004;
/** On lines with a higher rate, only every second or sixth sample is used. */
const TONE_RATE = 8_000;
const MAX_DRIFT = 0.02;
const [MIN_HERTZ, MAX_HERTZ] = [350, 2_200];

/** Returns true once a tone has lasted 200 ms: the beep after a greeting. Tones in speech vary more. */
export function createBeepDetector(): (frame: AudioFrame) => boolean {
  let lastsMs = 0;
  let cosine = 2;
  return ({ samples, sampleRate, source }) => {
    const found =
      source === 'silence' || levelDb(samples) < BEEP_LEVEL_DB
        ? undefined
        : toneOf(samples, Math.max(1, Math.round(sampleRate / TONE_RATE)));
    const hertz = found === undefined ? 0 : (Math.acos(found) * TONE_RATE) / (2 * Math.PI);
    const isTone = found !== undefined && hertz >= MIN_HERTZ && hertz <= MAX_HERTZ;
    lastsMs = !isTone ? 0 : Math.abs(found - cosine) <= MAX_DRIFT ? lastsMs + FRAME_MS : FRAME_MS;
    cosine = isTone ? found : 2;
    return lastsMs === BEEP_MS;
  };
}

/** The cosine of the angle per sample, if the samples are one sine: each is then 2·cos·previous − the one before. */
function toneOf(samples: Int16Array, step: number): number | undefined {
  let [cross, square, energy] = [0, 0, 0];
  for (let n = 2 * step; n < samples.length; n += step) {
    const [before, last, now] = [samples[n - 2 * step] ?? 0, samples[n - step] ?? 0, samples[n] ?? 0];
    cross += last * (now + before);
    square += last * last;
    energy += now * now;
  }
  if (square === 0) return undefined;
  const cosine = cross / (2 * square);
  if (Math.abs(cosine) >= 1) return undefined;
  let residue = 0;
  for (let n = 2 * step; n < samples.length; n += step) {
    const predicted = 2 * cosine * (samples[n - step] ?? 0) - (samples[n - 2 * step] ?? 0);
    residue += ((samples[n] ?? 0) - predicted) ** 2;
  }
  return residue <= MAX_RESIDUE * energy ? cosine : undefined;
}
