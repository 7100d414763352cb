import { describe, expect, it } from '@jest/globals';
import { audibleMs, concatenate, tone } from '@parley/media/testing';
import { createRecordedRecognition, SpeechError, type VoiceActivityFactory } from '../src/index.ts';
import { createSpeechToTextDouble } from './doubles/speech-to-text-double.ts';

const RATE = 8_000;
/** Stands for voice activity detection: every sound is a voice. */
const loudnessDouble: VoiceActivityFactory = (sampleRate) => ({
  isVoice: (samples) => audibleMs(samples, sampleRate) > 0,
  close: () => undefined,
});
/** Time doesn't matter here. */
const clock = {
  nowMs: () => 0,
  timer: (_: number, fn: () => void) => {
    setImmediate(fn);
    return () => {};
  },
};

const sound = (ms: number) => tone(300, ms, RATE);
const silence = (ms: number) => new Int16Array((ms * RATE) / 1_000);

function recognition(stt = createSpeechToTextDouble()) {
  const options = { stt, vad: loudnessDouble, sampleRate: RATE, language: 'en-US', clock };
  return { stt, recognition: createRecordedRecognition(options) };
}

/** In pieces that are no whole frames. */
async function push(
  target: ReturnType<typeof createRecordedRecognition>,
  samples: Int16Array,
): Promise<void> {
  for (let at = 0; at < samples.length; at += 777) await target.push(samples.subarray(at, at + 777));
}

describe('speech of a recording', () => {
  it('is recognized by utterance, at the times when it was spoken, through one connection', async () => {
    const { stt, recognition: channel } = recognition();
    stt.willHear('Hello', 'my name is Ada', 'goodbye');
    await push(
      channel,
      concatenate([silence(2_000), sound(1_000), silence(1_500), sound(2_000), silence(300), sound(500)]),
    );
    await push(channel, concatenate([silence(60_000), sound(700)]));
    const found = await channel.finish();
    channel.close();
    expect(found.map(({ text }) => text)).toEqual(['Hello', 'my name is Ada', 'goodbye']);
    const times = found.flatMap(({ startMs, endMs }) => [startMs, endMs]);
    [2_000, 3_000, 4_500, 7_300, 67_300, 68_000].forEach((expected, n) => {
      expect(Math.abs((times[n] ?? 0) - expected)).toBeLessThanOrEqual(60);
    });
    expect(stt.opened).toBe(1);
  });

  it('asks no provider about silence', async () => {
    const { stt, recognition: channel } = recognition();
    await push(channel, silence(30_000));
    expect(await channel.finish()).toEqual([]);
    expect(stt.opened).toBe(0);
  });

  it('is recognized in parts where nobody pauses, and is one utterance', async () => {
    const { stt, recognition: channel } = recognition();
    stt.willHear('one', 'two', 'three');
    await push(channel, concatenate([sound(9_000), silence(400), sound(20_000), silence(1_000)]));
    expect(await channel.finish()).toMatchObject([{ text: 'one two three' }]);
  });

  it('fails with the provider', async () => {
    const { stt, recognition: channel } = recognition();
    stt.willFail(new SpeechError('double', 'rate_limit', 'too many requests'));
    await expect(push(channel, concatenate([sound(1_000), silence(1_000)]))).rejects.toMatchObject({
      kind: 'rate_limit',
    });
    channel.close();
  });
});
