import { describe, expect, it } from '@jest/globals';
import { dialingCall, START } from '../../tests/session-parts.ts';
import { crashStepOf, isPoison } from './crash-step.ts';
import type { BegunTool, Entry } from './ports.ts';

const up = { ...dialingCall, state: { ...dialingCall.state, phase: 'up' as const } };
const said = (role: 'user' | 'agent', seq = 1): Entry => ({ role, seq, at: START, content: 'Hello' });
const begun: BegunTool = {
  toolCallId: 'id',
  toolName: 'lookup',
  toolType: 'custom',
  description: null,
  args: {},
};

describe('the step at which a worker died', () => {
  it('is the running tool, however long the record is', () => {
    const once = crashStepOf(up, [said('user')], [begun]);
    expect(crashStepOf(up, [said('user'), said('agent', 2)], [begun])).toEqual(once);
    expect(crashStepOf(up, [said('user')], [{ ...begun, toolName: 'other' }])).not.toEqual(once);
    expect(once.atWork).toBe(true);
  });

  it('is the turn otherwise: working while an answer is due, and waiting after the assistant has spoken', () => {
    const due = crashStepOf(up, [said('agent'), said('user', 2)], []);
    expect(due.atWork).toBe(true);
    expect(crashStepOf(up, [said('agent'), said('user', 2), said('agent', 3)], [])).toEqual({
      name: expect.not.stringMatching(due.name),
      atWork: false,
    });
    expect(crashStepOf(up, [], []).atWork).toBe(true);
    expect(crashStepOf(dialingCall, [], []).atWork).toBe(false);
    const selecting = { ...up, state: { ...up.state, phase: 'selecting_assistant' as const } };
    expect(crashStepOf(selecting, [], [])).toEqual({ name: 'selecting_assistant', atWork: true });
  });

  it('is the same for each worker that dies while it speaks the same answer', () => {
    const heard: Entry = { role: 'agent', seq: 1, at: START, content: 'Hello', isInterrupted: false };
    const once = crashStepOf(up, [heard, said('user', 2), said('agent', 3)], []);
    expect(once.atWork).toBe(true);
    expect(crashStepOf(up, [heard, said('user', 2), said('agent', 3), said('agent', 4)], [])).toEqual(once);
    expect(crashStepOf(up, [heard], []).atWork).toBe(false);
  });
});

describe('a call that kills its workers', () => {
  const atWork = { name: 'turn 2', atWork: true };
  const waiting = { name: 'turn 3', atWork: false };

  it('is ended at the second death at the same step [trust.5]', () => {
    expect(isPoison(atWork, { atStep: 1, total: 1 })).toBe(false);
    expect(isPoison(atWork, { atStep: 1, total: 5 })).toBe(false);
    expect(isPoison(atWork, { atStep: 2, total: 2 })).toBe(true);
  });

  it('that merely waits is ended at the third death, and at the eighth in all [trust.5]', () => {
    expect(isPoison(waiting, { atStep: 2, total: 2 })).toBe(false);
    expect(isPoison(waiting, { atStep: 3, total: 3 })).toBe(true);
    expect(isPoison(waiting, { atStep: 1, total: 7 })).toBe(false);
    expect(isPoison(waiting, { atStep: 1, total: 8 })).toBe(true);
  });
});
