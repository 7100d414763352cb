import { describe, expect, it } from '@jest/globals';
import { createLogger } from '@parley/kit/log';
import { dialingCall, START, snapshot } from '../../../tests/session-parts.ts';
import { createLiveRecordings } from './live/live-recordings.ts';
import type { Segment } from './live/segments.store.ts';
import { type ClaimedRecording, type RecordDeps, recordCall } from './record-due.ts';
import type { DueRecording } from './recording-queue.store.ts';
import { fullWorkspaces } from './recording-share.ts';

const log = createLogger({ service: 'test', level: 'silent' });
const share = { isUsedUp: () => true, isLimited: true };

describe('a workspace whose recordings have reached their limit [trust.28]', () => {
  it('is found by what its recordings take', () => {
    const stored = {
      total: 0,
      workspaces: [10, 5, 4].map((mb) => ({ workspace_id: `${mb}`, bytes: mb * 1024 ** 2 })),
    };
    expect(fullWorkspaces(stored, 5)).toEqual(new Set(['10', '5']));
  });

  it.each([
    ['is not recorded', [], 0],
    ['continues a recording of another worker', [{} as Segment], 1],
  ])('a live call with audio %s', async (_, segments, expected) => {
    let begun = 0;
    const end = new AbortController();
    const live = createLiveRecordings({
      workerId: 'worker',
      segments: {
        ofCall: async () => segments,
        begin: async () => {
          begun += 1;
          end.abort();
          throw new Error('no recorder in this test');
        },
      } as never,
      files: {} as never,
      maxSeconds: 1,
      share,
      log,
    });
    const session = { onFrame: () => () => {}, onSent: () => () => {} } as never;
    const options = { sinceAnswerMs: 0, isPaused: () => false, signal: end.signal };
    const recording = await live.start(dialingCall, session, options);
    await recording.stop();
    expect(begun).toBe(expected);
  });

  it('a call that was not recorded live gets no recording afterwards, without being tried again', async () => {
    const finished: unknown[] = [];
    let omitted = 0;
    const deps = {
      queue: { finish: async (_due: DueRecording, stored: unknown) => finished.push(stored) > 0 },
      archive: { read: async () => snapshot },
      readRecords: async () => new Map(),
      recorder: { record: () => ({ seconds: 1, length: 1, bytes: [] }) },
      hasAudio: () => false,
      live: { collect: async () => null },
      store: { put: async () => {} },
      share,
      onOmitted: () => {
        omitted += 1;
      },
      clock: { now: () => START },
      log,
    } as unknown as RecordDeps;
    const state = { ...dialingCall.state, answeredAt: new Date(0), endedAt: new Date(1_000) };
    const due = {
      call: { ...dialingCall, state },
      attempts: 1,
      waits: 0,
      isHeld: () => true,
    } as ClaimedRecording;
    const { signal } = new AbortController();
    await recordCall(deps, due, signal);
    expect([finished, omitted]).toEqual([[null], 1]);
    await recordCall({ ...deps, share: { isUsedUp: () => false, isLimited: false } }, due, signal);
    expect(finished.at(-1)).toMatchObject({ seconds: 1 });
    expect(omitted).toBe(1);
  });

  it.each([
    ['a warning if its share may have been used up, by the measurement of another worker', true, 'warn'],
    ['an error without a limit: its recording is lost', false, 'error'],
  ])('a call with audio that has no recording is %s', async (_, isLimited, expected) => {
    const levels: string[] = [];
    const destination = { write: (line: string) => void levels.push(JSON.parse(line).level) };
    const finished: unknown[] = [];
    const deps = {
      queue: { finish: async (_due: DueRecording, stored: unknown) => finished.push(stored) > 0 },
      archive: { read: async () => snapshot },
      hasAudio: () => true,
      live: { collect: async () => null },
      share: { isUsedUp: () => false, isLimited },
      clock: { now: () => START },
      log: createLogger({ service: 'test', level: 'warn', destination }),
    } as unknown as RecordDeps;
    const state = { ...dialingCall.state, answeredAt: new Date(0), endedAt: new Date(1_000) };
    const due = {
      call: { ...dialingCall, state },
      attempts: 1,
      waits: 0,
      isHeld: () => true,
    } as ClaimedRecording;
    await recordCall(deps, due, new AbortController().signal);
    expect([finished, levels]).toEqual([[null], [expected]]);
  });
});
