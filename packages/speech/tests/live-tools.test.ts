import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { LiveModelDouble } from './doubles/live-model-double.ts';
import { createLiveCall, type LiveCall, TIMEOUT_MS } from './live-call.ts';

describe('a live model that uses tools [tools.12]', () => {
  let call: LiveCall;
  let model: LiveModelDouble;
  beforeEach(async () => {
    call = createLiveCall();
    model = call.model;
    call.open();
    await call.pass(40);
  });
  afterEach(() => call.close());

  const asksFor = (name: string, id: string, args = {}): void => model.emit({ type: 'tool', id, name, args });
  const answers = (): unknown[] => call.asked('answerTool').map(([, , answer]) => answer);
  const cancels = (...ids: string[]): void => model.emit({ type: 'tools_cancelled', ids });
  const used = (): string[] => call.used.map(({ name }) => name);

  it('has to answer only when all of its blocking tools are done', async () => {
    for (const id of ['x', 'y']) asksFor('stock', id);
    await call.pass(40);
    call.used[0]?.finish(1);
    await call.pass(TIMEOUT_MS + 1_000);
    expect(model.openings).toHaveLength(1);
    call.used[1]?.finish(2);
    await call.pass(TIMEOUT_MS - 200);
    expect(model.openings).toHaveLength(1);
    await call.pass(400);
    expect(model.openings).toHaveLength(2);
  });

  it('has to answer when it cancels the last of its blocking tools and has the results of others', async () => {
    for (const id of ['x', 'y']) asksFor('stock', id);
    await call.pass(40);
    call.used[0]?.finish(1);
    await call.pass(40);
    cancels('y');
    await call.pass(TIMEOUT_MS + 400);
    expect(model.openings).toHaveLength(2);
  });

  it('gets one result for a request that comes twice: the tool runs once', async () => {
    asksFor('order', 'x');
    asksFor('order', 'x');
    await call.pass(40);
    asksFor('order', 'x');
    await call.pass(40);
    expect(used()).toEqual(['order']);
    call.used[0]?.finish(1);
    await call.pass(40);
    expect(call.asked('answerTool')).toHaveLength(1);
  });

  it('ends the call once when it asks for that twice at once: both requests have the result', async () => {
    for (const id of ['x', 'y']) asksFor('end_call', id);
    await call.pass(100);
    asksFor('end_call', 'z', { reason: 'other' });
    await call.pass(100);
    expect(used()).toEqual(['end_call']);
    call.used[0]?.finish('it did not end');
    await call.pass(100);
    const shared = { result: 'it did not end', error: null };
    expect(answers()).toEqual([
      { result: null, error: 'It is already running, with other arguments' },
      shared,
      shared,
    ]);
    asksFor('end_call', 'w');
    await call.pass(100);
    expect(used()).toEqual(['end_call', 'end_call']);
  });

  it('uses an ending tool once for the requests that are left after it has cancelled the first', async () => {
    model.emit({ type: 'turn_ended', turn: 't' });
    for (const id of ['x', 'y', 'z']) asksFor('end_call', id);
    await call.pass(100);
    cancels('x');
    model.emit({ type: 'heard', turn: 't', text: 'Goodbye.', isFinal: true });
    await call.pass(200);
    expect(used()).toEqual(['end_call']);
  });

  it('can ask for an ending tool again after one has failed without a result', async () => {
    asksFor('end_call', 'x');
    await call.pass(100);
    call.used[0]?.reject(new Error('broken'));
    await call.pass(100);
    asksFor('end_call', 'y');
    await call.pass(100);
    expect(used()).toEqual(['end_call', 'end_call']);
  });

  it('cancels a tool that waits for the words of the human: it does not run', async () => {
    model.emit({ type: 'turn_ended', turn: 't' });
    asksFor('stock', 'x');
    await call.pass(100);
    cancels('x');
    model.emit({ type: 'heard', turn: 't', text: 'Tea. No, wait.', isFinal: true });
    await call.pass(100);
    expect(used()).toEqual([]);
    expect(call.asked('answerTool')).toEqual([]);
  });

  it('has to answer a turn that is over after it has cancelled a blocking tool, which still runs', async () => {
    asksFor('stock', 'x');
    await call.pass(40);
    cancels('x');
    model.emit({ type: 'turn_ended', turn: 't' }, { type: 'heard', turn: 't', text: 'Stop.', isFinal: true });
    await call.pass(TIMEOUT_MS + 200);
    expect(used()).toEqual(['stock']);
    expect(model.openings).toHaveLength(2);
  });

  it('gets the result of a request whose id was cancelled before', async () => {
    asksFor('stock', 'x');
    await call.pass(40);
    call.used[0]?.finish(1);
    await call.pass(40);
    cancels('x');
    asksFor('stock', 'x');
    await call.pass(40);
    call.used[1]?.finish(2);
    await call.pass(40);
    expect(answers()).toEqual([
      { result: 1, error: null },
      { result: 2, error: null },
    ]);
  });
});
