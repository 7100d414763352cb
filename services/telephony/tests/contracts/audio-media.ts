import { describe, expect, it } from '@jest/globals';
import { concatenate, type MediaSession } from '@parley/media';
import { audibleMs, tone } from '@parley/media/testing';
import { eventually } from '@parley/testkit';
import type { Carrier } from '../../src/carriers/carrier.ts';
import { type CarrierUnderTest, DEADLINE, dial, listen } from './carrier-under-test.ts';
import type { Reception } from './reception.ts';

const PITCH_HZ = 500;
const SPEAK_MS = 800;
const AUDIBLE_MS = 200;

function sessionOf(carrier: Carrier, reference: string): MediaSession {
  const media = carrier.media(reference);
  if (media?.kind !== 'audio') throw new Error(`no audio but ${media?.kind}`);
  return media.session;
}

/** Both ends hear each other: the far end replies to what it hears. */
async function talk(session: MediaSession): Promise<void> {
  const heard: Int16Array[] = [];
  const stop = session.onFrame(({ samples }) => heard.push(samples));
  const playback = session.play();
  playback.write(tone(PITCH_HZ, SPEAK_MS, session.sampleRate), session.sampleRate);
  playback.end();
  await eventually(
    () => expect(audibleMs(concatenate(heard), session.sampleRate)).toBeGreaterThan(AUDIBLE_MS),
    DEADLINE,
  );
  expect(await playback.done).toEqual({ playedMs: SPEAK_MS, interrupted: false });
  stop();
}

/**
 * The media of carriers of audio, over their real lines. What a session does with its audio is `mediaSessionContract` of `packages/media`,
 * which every kind of line passes too.
 */
export function audioMedia(
  { carrier, other, callees, callers, soFar }: CarrierUnderTest,
  { take }: Reception,
): void {
  const talks = callees?.talks;
  const talksAndMoves = callees?.talksAndMoves;
  const calls = callers?.talks;
  describe('media', () => {
    if (talks)
      it('is there once it is announced; both ends of a dialed leg hear each other until it is over', async () => {
        const callee = await talks();
        const { reference, until } = await dial(carrier(), callee);
        await Promise.all([until('answered'), until('media')]);
        const session = sessionOf(carrier(), reference);
        await talk(session);
        await carrier().hangup(reference);
        await until('ended');
        await session.closed;
        await callee.done?.();
        carrier().detach(reference);
        expect(carrier().media(reference)).toBeUndefined();
      });

    if (calls)
      it('is there once it is announced; both ends of a call that came in hear each other until it is over', async () => {
        const { on, caller, reference, until } = await take(calls);
        await on.answer(reference);
        await Promise.all([until('answered'), until('media')]);
        const session = sessionOf(on, reference);
        await talk(session);
        await on.hangup(reference);
        await until('ended');
        on.detach(reference);
        await session.closed;
        await caller.done?.();
        expect(on.media(reference)).toBeUndefined();
      });

    if (talksAndMoves)
      it('is in the process that the leg is attached to', async () => {
        const callee = await talksAndMoves();
        const { reference, until } = await dial(carrier(), callee);
        await Promise.all([until('answered'), until('media')]);
        const first = sessionOf(carrier(), reference);
        const state = await soFar(reference);
        carrier().detach(reference);
        await first.closed;
        expect(carrier().media(reference)).toBeUndefined();
        const second = listen(other(), reference);
        expect(await other().attach(reference, state)).toBe(true);
        await second.until('media');
        await talk(sessionOf(other(), reference));
        await other().hangup(reference);
        await callee.done?.();
        other().detach(reference);
      });
  });
}
