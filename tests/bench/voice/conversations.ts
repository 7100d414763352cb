import { monotonicMs, realTimer } from '@parley/kit/time';
import { createMemoryPair, createTicker, type MediaClock, type MediaSession } from '@parley/media';
import { createSpokenPort, loadVoiceActivity, type TextToSpeech } from '@parley/speech';
import { createCountableVoice, createPromptEars } from './doubles.ts';
import type { Case, Conversations } from './protocol.ts';
import { deepgramAt, loadDeepgram } from './providers.ts';
import { cough, voiced } from './sounds.ts';

// Runs conversations: `conversations.ts CASE CALLS SECONDS`. Both ends of every call are in this process, in real time; times are
// measured at the frames that each end sends. Sends its results to the parent at the end.

const [kind = 'answers', count = '10', seconds = '30'] = process.argv.slice(2);
const RATE = 8_000;
const SILENCE_MS = 700;
const AUDIBLE = 500;
const ANSWER =
  'This is a long answer with many words so that there is enough time to speak over it before it ends, '.repeat(
    3,
  );
const clock: MediaClock = { nowMs: monotonicMs, timer: realTimer };
const ticker = createTicker(clock, (error) => {
  throw error;
});
const vad = await loadVoiceActivity();
const found: Conversations = { samples: [], providerMs: [], interrupted: 0, total: 0 };
const provider = JSON.parse(process.env.BENCH_PROVIDER ?? '{}') as { url: string; key: string };
if (kind === 'answers') await loadDeepgram(provider);
const endsMs = clock.nowMs() + Number(seconds) * 1_000;

await Promise.all(Array.from({ length: Number(count) }, (_, n) => converse(kind as Case, n)));
process.send?.(found, () => process.exit());

async function converse(of: Case, n: number): Promise<void> {
  // Staggers the calls.
  await pass(n * 137);
  const { near, far, close } = createMemoryPair({ clock, ticker, random: Math.random });
  const words = { answers: 'hello there', barge: 'wait a moment please', mhm: 'mhm', cough: '' }[of];
  const isRemote = of === 'answers';
  const stt = isRemote ? deepgramAt(provider).stt : createPromptEars(() => words);
  const tts = isRemote ? timedVoice(deepgramAt(provider).tts) : createCountableVoice();
  const port = createSpokenPort({
    media: near,
    stt,
    tts,
    vad,
    clock,
    language: 'en-US',
    turns: { silenceMs: SILENCE_MS },
  });
  if (of === 'answers') await answers(near, far, port);
  else await interruptions(of, near, far, port);
  port.close();
  close();
}

type Port = ReturnType<typeof createSpokenPort>;

/** Time from the last sound of the human to the first sound of the answer, without the endpointing silence. */
async function answers(near: MediaSession, far: MediaSession, port: Port): Promise<void> {
  const { signal } = new AbortController();
  const human = lastSound(far);
  while (clock.nowMs() < endsMs) {
    const heard = port.hear(signal);
    await utter(far, voiced(900 + Math.random() * 600, RATE));
    const ended = human.lastMs();
    await heard;
    const first = firstSound(near);
    const said = port.say('I see, thank you.', signal);
    const sentMs = await first;
    found.samples.push(sentMs - ended - SILENCE_MS);
    found.total += 1;
    await said;
    await pass(300);
  }
}

/** The human makes a sound while the assistant speaks. */
async function interruptions(of: Case, near: MediaSession, far: MediaSession, port: Port): Promise<void> {
  const { signal } = new AbortController();
  while (clock.nowMs() < endsMs) {
    const heardWords = countWords(far);
    const said = port.say(ANSWER, signal);
    await pass(1_500 + Math.random() * 2_000);
    const began = firstSound(far);
    const uttered = utter(far, of === 'cough' ? cough(RATE) : voiced(of === 'mhm' ? 300 : 1_200, RATE));
    const silent = began.then((atMs) => silentAfter(near, atMs));
    const begunMs = await began;
    if (of === 'barge') found.samples.push((await silent) - begunMs);
    await uttered;
    const spoken = await said;
    found.total += 1;
    if (spoken.isInterrupted) found.interrupted += 1;
    if (of === 'barge') {
      await pass(200);
      const recorded = spoken.text.split(/\s+/).filter((word) => word !== '').length;
      found.wordErrors = [...(found.wordErrors ?? []), Math.abs(recorded - heardWords())];
      await port.hear(signal);
    }
    await pass(1_000);
  }
}

async function utter(far: MediaSession, samples: Int16Array): Promise<void> {
  const playback = far.play();
  playback.write(samples, RATE);
  playback.end();
  await playback.done;
}

function isAudible(samples: Int16Array): boolean {
  return samples.some((sample) => Math.abs(sample) > AUDIBLE);
}

/** Time of the next audible frame. */
function firstSound(session: MediaSession): Promise<number> {
  return new Promise((resolve) => {
    const stop = session.onSent(({ samples }) => {
      if (!isAudible(samples)) return;
      stop();
      resolve(clock.nowMs());
    });
  });
}

/** End of the last audible frame. */
function lastSound(session: MediaSession): { lastMs(): number } {
  let lastMs = 0;
  session.onSent(({ samples }) => {
    if (isAudible(samples)) lastMs = clock.nowMs() + 20;
  });
  return { lastMs: () => lastMs };
}

/** Start of the first silence that is longer than the pause between two words. */
function silentAfter(session: MediaSession, fromMs: number): Promise<number> {
  return new Promise((resolve) => {
    let silentSinceMs: number | undefined;
    const stop = session.onSent(({ samples }) => {
      const nowMs = clock.nowMs();
      silentSinceMs = isAudible(samples) ? undefined : (silentSinceMs ?? nowMs);
      if (silentSinceMs === undefined || nowMs < fromMs || nowMs - silentSinceMs < 120) return;
      stop();
      resolve(Math.max(silentSinceMs, fromMs));
    });
  });
}

/** Counts the words that the human hears, which are tones between pauses. */
function countWords(far: MediaSession): () => number {
  let words = 0;
  let quiet = 3;
  const stop = far.onFrame(({ samples }) => {
    if (isAudible(samples)) {
      if (quiet >= 2) words += 1;
      quiet = 0;
    } else quiet += 1;
  });
  return () => {
    stop();
    return words;
  };
}

/** Records the provider's time to its first audio. */
function timedVoice(tts: TextToSpeech): TextToSpeech {
  return {
    ...tts,
    async *speak(text, options) {
      const fromMs = clock.nowMs();
      let isFirst = true;
      for await (const samples of tts.speak(text, options)) {
        if (isFirst) found.providerMs.push(clock.nowMs() - fromMs);
        isFirst = false;
        yield samples;
      }
    },
  };
}

function pass(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
