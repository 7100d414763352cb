import assert from 'node:assert/strict';
import {
  assertHeard,
  audiblePart,
  type ContractCase,
  CROSSING_MS,
  collectSent,
  contractCase,
  halvesOf,
  OTHER_PITCH_HZ,
  PITCH_HZ,
  samplesOf,
  silentBefore,
} from './contract-case.ts';
import { audibleMs, shareOf, tone } from './signals.ts';

/** What every MediaSession does with audio that is played to its far end. */
export const playingContract: readonly ContractCase[] = [
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
    assert.ok(
      shareOf(PITCH_HZ, low, far.sampleRate) > shareOf(OTHER_PITCH_HZ, low, far.sampleRate),
      'first pitch',
    );
    assert.ok(
      shareOf(OTHER_PITCH_HZ, high, far.sampleRate) > shareOf(PITCH_HZ, high, far.sampleRate),
      'second',
    );
  }),

  contractCase('resamples what is written at another rate', async ({ session, far, pass }) => {
    const playback = session.play();
    playback.write(tone(PITCH_HZ, 600, 44_100), 44_100);
    playback.end();
    await pass(600 + CROSSING_MS);
    const { playedMs } = await playback.done;
    assert.ok(Math.abs(playedMs - 600) < 1, `${playedMs} ms played`);
    assertHeard(far.heard(), far.sampleRate, PITCH_HZ, 600);
  }),

  contractCase(
    'plays pieces of several rates in their order, as they were when written',
    async ({ session, far, pass }) => {
      const playback = session.play();
      const first = tone(PITCH_HZ, 290, 24_000);
      playback.write(first, 24_000);
      first.fill(0);
      const marked = playback.mark();
      playback.write(tone(OTHER_PITCH_HZ, 310, 16_000), 16_000);
      playback.end();
      await pass(600 + CROSSING_MS);
      assert.equal(await marked, 'played');
      const { playedMs } = await playback.done;
      assert.ok(Math.abs(playedMs - 600) < 1, `${playedMs} ms played`);
      const [low, high] = halvesOf(audiblePart(far.heard(), far.sampleRate));
      for (const [half, pitch, other] of [
        [low, PITCH_HZ, OTHER_PITCH_HZ],
        [high, OTHER_PITCH_HZ, PITCH_HZ],
      ] as const)
        assert.ok(shareOf(pitch, half, far.sampleRate) > shareOf(other, half, far.sampleRate), `${pitch} Hz`);
    },
  ),

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
    const heardMs = audibleMs(far.heard(), far.sampleRate);
    assert.ok(Math.abs(heardMs - playedMs) <= 100, `${heardMs} of ${playedMs} ms heard`);
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
      const heardMs = audibleMs(far.heard(), far.sampleRate);
      assert.ok(Math.abs(heardMs - 600) <= 120, `${heardMs} of 600 ms heard`);
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
];
