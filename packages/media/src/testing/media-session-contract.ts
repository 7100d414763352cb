import assert from 'node:assert/strict';
import type { AudioFrame } from '../audio/frame.ts';
import { connect } from '../session/connect.ts';
import type { MediaSession } from '../session/media-session.ts';
import { audibleMs, concatenate, shareOf, tone } from './signals.ts';

/** A session under test and the other end of its line. */
export type MediaSetup = {
  session: MediaSession;
  /** The far end: an independent client of the protocol where there is one. */
  far: {
    sampleRate: number;
    /** Starts to send this audio. */
    speak(samples: Int16Array): void;
    /** All audio that arrived there so far, without gaps. */
    heard(): Int16Array;
    press(digits: string): void;
    /** All keys that arrived there so far. */
    pressed(): string;
  };
  /** Lets time pass, on the real or an injected clock. */
  pass(ms: number): Promise<void>;
  close(): void | Promise<void>;
};

export type ContractCase = { name: string; run(open: () => Promise<MediaSetup>): Promise<void> };

/** Time for audio to cross the line, its jitter buffers included, on a machine that is busy. */
const CROSSING_MS = 400;
const PITCH_HZ = 500;
const OTHER_PITCH_HZ = 1_100;

/**
 * What every MediaSession does. Run each case with a test runner: `it(name, () => run(open))`, where `open` makes a fresh pair. Times are
 * compared as amounts of audio, never as wall-clock time.
 */
export const mediaSessionContract: readonly ContractCase[] = [
  contractCase(
    'gives a frame of 20 ms every 20 ms, silent until the far end speaks',
    async ({ session, pass }) => {
      const frames = collect(session);
      await pass(1_000);
      assert.ok(frames.length >= 40 && frames.length <= 55, `${frames.length} frames in a second`);
      for (const frame of frames) {
        assert.equal(frame.samples.length, session.sampleRate / 50);
        assert.equal(frame.sampleRate, session.sampleRate);
      }
      assert.equal(audibleMs(samplesOf(frames), session.sampleRate), 0);
      const times = frames.map(({ atMs }) => atMs);
      assert.deepEqual(
        times,
        [...times].sort((a, b) => a - b),
      );
    },
  ),

  contractCase('hears the far end', async ({ session, far, pass }) => {
    await pass(200);
    const frames = collect(session);
    far.speak(tone(PITCH_HZ, 600, far.sampleRate));
    await pass(600 + CROSSING_MS);
    assertHeard(samplesOf(frames), session.sampleRate, PITCH_HZ, 600);
    assert.ok(frames.some(({ source }) => source === 'audio'));
  }),

  contractCase('plays to the far end, one playback after the other', async ({ session, far, pass }) => {
    const [first, second] = [session.play(), session.play()];
    second.write(tone(OTHER_PITCH_HZ, 300, session.sampleRate), session.sampleRate);
    second.end();
    first.write(tone(PITCH_HZ, 310, session.sampleRate), session.sampleRate);
    await pass(100);
    first.end();
    await pass(600 + CROSSING_MS);
    assert.deepEqual(await first.done, { playedMs: 310, interrupted: false });
    assert.deepEqual(await second.done, { playedMs: 300, interrupted: false });
    const [low, high] = halvesOf(audiblePart(far.heard(), far.sampleRate));
    assert.ok(shareOf(PITCH_HZ, low, far.sampleRate) > shareOf(OTHER_PITCH_HZ, low, far.sampleRate));
    assert.ok(shareOf(OTHER_PITCH_HZ, high, far.sampleRate) > shareOf(PITCH_HZ, high, far.sampleRate));
  }),

  contractCase('resamples what is written at another rate', async ({ session, far, pass }) => {
    const playback = session.play();
    playback.write(tone(PITCH_HZ, 600, 44_100), 44_100);
    playback.end();
    await pass(600 + CROSSING_MS);
    assert.ok(Math.abs((await playback.done).playedMs - 600) < 1);
    assertHeard(far.heard(), far.sampleRate, PITCH_HZ, 600);
  }),

  contractCase('falls silent at a flush and tells what was played', async ({ session, far, pass }) => {
    const playback = session.play();
    const sent = collectSent(session);
    playback.write(tone(PITCH_HZ, 2_000, session.sampleRate), session.sampleRate);
    playback.end();
    await pass(500);
    session.flush();
    const before = sent.length;
    assert.ok(playback.playedMs >= 300 && playback.playedMs <= 900, `${playback.playedMs} ms played`);
    await pass(CROSSING_MS);
    assert.equal(audibleMs(samplesOf(sent.slice(before)), session.sampleRate), 0);
    const { playedMs, interrupted } = await playback.done;
    assert.equal(interrupted, true);
    assert.equal(playedMs, before * 20 - silentBefore(sent));
    assert.ok(Math.abs(audibleMs(far.heard(), far.sampleRate) - playedMs) <= 100);
  }),

  contractCase('says which marks were played', async ({ session, pass }) => {
    const playback = session.play();
    const outcomes: string[] = [];
    const mark = (name: string): void =>
      void playback.mark().then((outcome) => outcomes.push(`${name} ${outcome}`));
    playback.write(tone(PITCH_HZ, 100, session.sampleRate), session.sampleRate);
    mark('first');
    playback.write(tone(PITCH_HZ, 5_000, session.sampleRate), session.sampleRate);
    mark('second');
    assert.deepEqual(outcomes, []);
    await pass(400);
    assert.deepEqual(outcomes, ['first played']);
    playback.stop();
    await pass(40);
    assert.deepEqual(outcomes, ['first played', 'second dropped']);
  }),

  contractCase(
    'continues a paused playback where it was, when no reason is left',
    async ({ session, far, pass }) => {
      const playback = session.play();
      playback.write(tone(PITCH_HZ, 600, session.sampleRate), session.sampleRate);
      playback.end();
      await pass(200);
      session.pause('hold', true);
      session.pause('barge_in', true);
      session.pause('barge_in', false);
      const { playedMs } = playback;
      await pass(300);
      assert.equal(playback.playedMs, playedMs);
      session.pause('hold', false);
      await pass(600 + CROSSING_MS);
      assert.deepEqual(await playback.done, { playedMs: 600, interrupted: false });
      assert.ok(Math.abs(audibleMs(far.heard(), far.sampleRate) - 600) <= 120);
    },
  ),

  contractCase('tells a producer when to continue', async ({ session, pass }) => {
    const playback = session.play();
    let ready = false;
    playback.write(tone(PITCH_HZ, 600, session.sampleRate), session.sampleRate);
    void playback.ready(300).then(() => {
      ready = true;
    });
    await pass(60);
    assert.equal(ready, false);
    await pass(400);
    assert.equal(ready, true);
    playback.stop();
    await playback.ready(0);
  }),

  contractCase('mixes sources with what is played', async ({ session, far, pass }) => {
    const block = tone(OTHER_PITCH_HZ, 20, session.sampleRate);
    const remove = session.addSource(() => block);
    const playback = session.play();
    playback.write(tone(PITCH_HZ, 400, session.sampleRate), session.sampleRate);
    playback.end();
    await pass(400 + CROSSING_MS);
    remove();
    const heard = audiblePart(far.heard(), far.sampleRate).subarray(0, far.sampleRate / 4);
    assert.ok(shareOf(PITCH_HZ, heard, far.sampleRate) > 0.2);
    assert.ok(shareOf(OTHER_PITCH_HZ, heard, far.sampleRate) > 0.2);
    await pass(CROSSING_MS);
    const before = far.heard().length;
    await pass(200);
    assert.equal(audibleMs(far.heard().subarray(before), far.sampleRate), 0);
  }),

  contractCase('presses keys, also the same one twice', async ({ session, far, pass }) => {
    const over = session.sendDigits('11#A');
    await pass(4 * 200 + CROSSING_MS);
    await over;
    assert.equal(far.pressed(), '11#A');
    await assert.rejects(session.sendDigits('1x'), RangeError);
  }),

  contractCase('hears keys', async ({ session, far, pass }) => {
    let pressed = '';
    session.onDigit((digit) => {
      pressed += digit;
    });
    await pass(100);
    far.press('550*');
    await pass(4 * 300 + CROSSING_MS);
    assert.equal(pressed, '550*');
  }),

  contractCase('mutes either direction', async ({ session, far, pass }) => {
    session.mute('sent', true);
    session.mute('heard', true);
    const frames = collect(session);
    const playback = session.play();
    playback.write(tone(PITCH_HZ, 300, session.sampleRate), session.sampleRate);
    playback.end();
    far.speak(tone(PITCH_HZ, 300, far.sampleRate));
    await pass(300 + CROSSING_MS);
    assert.equal(audibleMs(samplesOf(frames), session.sampleRate), 0);
    assert.equal(audibleMs(far.heard(), far.sampleRate), 0);
    assert.equal((await playback.done).playedMs, 300);
    session.mute('heard', false);
    far.speak(tone(PITCH_HZ, 300, far.sampleRate));
    await pass(300 + CROSSING_MS);
    assert.ok(audibleMs(samplesOf(frames), session.sampleRate) > 200);
  }),

  contractCase('shows what is sent', async ({ session, pass }) => {
    const sent = collectSent(session);
    const playback = session.play();
    playback.write(tone(PITCH_HZ, 200, session.sampleRate), session.sampleRate);
    playback.end();
    await pass(500);
    assert.equal(audibleMs(samplesOf(sent), session.sampleRate), 200);
    assert.equal(sent.filter(({ source }) => source === 'audio').length, 10);
    assert.ok(sent.length >= 20);
  }),

  contractCase('counts what comes and goes', async ({ session, far, pass }) => {
    far.speak(tone(PITCH_HZ, 300, far.sampleRate));
    await pass(300 + CROSSING_MS);
    const stats = session.stats();
    assert.ok(stats.lastReceivedAtMs !== undefined);
    assert.ok(stats.packetsRejected === 0 && stats.packetsLost === 0);
  }),

  contractCase('ends everything when it is closed', async ({ session, pass }) => {
    const playback = session.play();
    playback.write(tone(PITCH_HZ, 2_000, session.sampleRate), session.sampleRate);
    await pass(200);
    session.close();
    const frames = collect(session);
    session.close();
    await session.closed;
    await pass(200);
    assert.equal(frames.length, 0);
    assert.equal((await playback.done).interrupted, true);
    const late = session.play();
    late.write(tone(PITCH_HZ, 20, session.sampleRate), session.sampleRate);
    assert.deepEqual(await late.done, { playedMs: 0, interrupted: true });
    await session.sendDigits('1');
  }),

  {
    name: 'is bridged to another session',
    async run(open) {
      const [a, b] = [await open(), await open()];
      try {
        const disconnect = connect(a.session, b.session);
        a.far.speak(tone(PITCH_HZ, 600, a.far.sampleRate));
        // Both may have a clock of their own.
        for (let ms = 0; ms < 600 + 2 * CROSSING_MS; ms += 20) await Promise.all([a.pass(20), b.pass(20)]);
        assertHeard(b.far.heard(), b.far.sampleRate, PITCH_HZ, 600);
        assert.equal(audibleMs(a.far.heard(), a.far.sampleRate), 0);
        disconnect();
      } finally {
        await a.close();
        await b.close();
      }
    },
  },
];

function contractCase(name: string, check: (setup: MediaSetup) => Promise<void>): ContractCase {
  return {
    name,
    async run(open) {
      const setup = await open();
      try {
        await check(setup);
      } finally {
        await setup.close();
      }
    },
  };
}

function collect(session: MediaSession): AudioFrame[] {
  const frames: AudioFrame[] = [];
  session.onFrame((frame) => frames.push(frame));
  return frames;
}

function collectSent(session: MediaSession): AudioFrame[] {
  const frames: AudioFrame[] = [];
  session.onSent((frame) => frames.push(frame));
  return frames;
}

function samplesOf(frames: readonly AudioFrame[]): Int16Array {
  return concatenate(frames.map(({ samples }) => samples));
}

/** Milliseconds sent before the first audible frame. */
function silentBefore(sent: readonly AudioFrame[]): number {
  return sent.findIndex(({ source }) => source === 'audio') * 20;
}

function assertHeard(samples: Int16Array, sampleRate: number, hz: number, ms: number): void {
  const heardMs = audibleMs(samples, sampleRate);
  assert.ok(Math.abs(heardMs - ms) <= 120, `${heardMs} of ${ms} ms heard`);
  const middle = audiblePart(samples, sampleRate);
  const share = shareOf(hz, middle.subarray(sampleRate / 20, sampleRate / 4), sampleRate);
  assert.ok(share > 0.8, `${share} of the energy at ${hz} Hz`);
}

function audiblePart(samples: Int16Array, sampleRate: number): Int16Array {
  const isLoud = (sample: number): boolean => Math.abs(sample) > 500;
  const first = samples.findIndex(isLoud);
  const last = samples.findLastIndex(isLoud);
  assert.ok(first >= 0, 'nothing was heard');
  return samples.subarray(first, Math.max(last + 1, first + sampleRate / 50));
}

function halvesOf(samples: Int16Array): [Int16Array, Int16Array] {
  const half = Math.floor(samples.length / 2);
  return [samples.subarray(0, half), samples.subarray(half)];
}
