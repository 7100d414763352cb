import assert from 'node:assert/strict';
import { connect } from '../session/connect.ts';
import {
  assertHeard,
  audiblePart,
  type ContractCase,
  CROSSING_MS,
  collect,
  collectSent,
  contractCase,
  OTHER_PITCH_HZ,
  PITCH_HZ,
  samplesOf,
} from './contract-case.ts';
import { playingContract } from './playing-contract.ts';
import { audibleMs, shareOf, tone } from './signals.ts';

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
    assert.ok(
      frames.some(({ source }) => source === 'audio'),
      'no frame has audio',
    );
  }),

  ...playingContract,

  contractCase('mixes sources with what is played', async ({ session, far, pass }) => {
    const block = tone(OTHER_PITCH_HZ, 20, session.sampleRate);
    const remove = session.addSource(() => block);
    const playback = session.play();
    playback.write(tone(PITCH_HZ, 400, session.sampleRate), session.sampleRate);
    playback.end();
    await pass(400 + CROSSING_MS);
    remove();
    const heard = audiblePart(far.heard(), far.sampleRate).subarray(0, far.sampleRate / 4);
    assert.ok(shareOf(PITCH_HZ, heard, far.sampleRate) > 0.2, 'the first is not heard');
    assert.ok(shareOf(OTHER_PITCH_HZ, heard, far.sampleRate) > 0.2, 'the second is not heard');
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
    assert.ok(audibleMs(samplesOf(frames), session.sampleRate) > 200, 'nothing was received');
  }),

  contractCase('shows what is sent', async ({ session, pass }) => {
    const sent = collectSent(session);
    const playback = session.play();
    playback.write(tone(PITCH_HZ, 200, session.sampleRate), session.sampleRate);
    playback.end();
    await pass(500);
    assert.equal(audibleMs(samplesOf(sent), session.sampleRate), 200);
    assert.equal(sent.filter(({ source }) => source === 'audio').length, 10);
    assert.ok(sent.length >= 20, `${sent.length} frames sent`);
  }),

  contractCase('counts what comes and goes', async ({ session, far, pass }) => {
    far.speak(tone(PITCH_HZ, 300, far.sampleRate));
    await pass(300 + CROSSING_MS);
    const stats = session.stats();
    assert.ok(stats.lastReceivedAtMs !== undefined, 'no packet was received');
    assert.deepEqual([stats.packetsRejected, stats.packetsLost], [0, 0]);
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
