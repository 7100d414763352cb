import { expect, it } from '@jest/globals';
import { createLogger } from '@parley/kit/log';
import { dialingCall, START, snapshot } from '../../../tests/session-parts.ts';
import { type RecordDeps, recordCall } from './record-due.ts';
import type { DueRecording } from './recording-queue.store.ts';

it.each([
  ['is saved', { isSaved: true, isWanted: true }, ['recording stored'], []],
  ['had no effect, since a later claim saves it', { isSaved: false, isWanted: true }, [], []],
  ['is of a call that was erased', { isSaved: false, isWanted: false }, [], [`${dialingCall.id}.wav`]],
])('a recording that %s is reported and removed accordingly', async (_, facts, logged, removed) => {
  const messages: string[] = [];
  const destination = { write: (line: string) => void messages.push(JSON.parse(line).msg) };
  const removals: string[] = [];
  const deps = {
    queue: { finish: async () => facts.isSaved, isWanted: async () => facts.isWanted },
    archive: { read: async () => snapshot },
    readRecords: async () => new Map(),
    recorder: { record: () => ({ seconds: 1, length: 1, bytes: [] }) },
    hasAudio: () => false,
    live: { collect: async () => null },
    store: { put: async () => {}, remove: async (key: string) => void removals.push(key) },
    share: { isUsedUp: () => false, isLimited: false },
    onOmitted: () => {},
    clock: { now: () => START },
    log: createLogger({ service: 'test', level: 'info', destination }),
  } as unknown as RecordDeps;
  const state = { ...dialingCall.state, answeredAt: new Date(0), endedAt: new Date(1_000) };
  const due = { call: { ...dialingCall, state }, attempts: 1, waits: 0, sid: null } as DueRecording;
  await recordCall(deps, due, new AbortController().signal);
  expect([messages, removals]).toEqual([logged, removed]);
});
