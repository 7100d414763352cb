import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { LiveModelDouble } from './doubles/live-model-double.ts';
import { createLiveCall, failure, type LiveCall } from './live-call.ts';

/** A handle is of one moment: a model that continues by it does not know what was said and done since. */
describe('a live model that is lost after it has issued a handle [assistants.23]', () => {
  let call: LiveCall;
  let model: LiveModelDouble;
  beforeEach(async () => {
    call = createLiveCall();
    model = call.model;
    call.open();
    await call.pass(40);
    model.say('greeting', 'Hello.', 300);
    await call.pass(500);
    model.emit({ type: 'resumable', handle: 'h1' });
  });
  afterEach(() => call.close());

  const asks = async (): Promise<void> => {
    call.human(600);
    await call.pass(1_000);
  };
  const hears = (text: string): void =>
    model.emit({ type: 'turn_ended', turn: 't' }, { type: 'heard', turn: 't', text, isFinal: true });
  const beginsAnswer = (text: string): void =>
    model.emit(
      { type: 'said', answer: 'a', text },
      { type: 'audio', answer: 'a', samples: new Int16Array(2_400).fill(4_000) },
    );
  /** Loses the connection. */
  const next = async () => {
    model.fail(failure());
    await call.pass(100);
    expect(model.openings).toHaveLength(2);
    const { handle = '', history = [] } = model.openings[1] ?? {};
    return { handle, history: history.map((turn) => (turn.role === 'tool' ? turn.name : turn.content)) };
  };

  it('before anything else was said continues by it', async () => {
    expect(await next()).toEqual({ handle: 'h1', history: [] });
  });

  it('in the middle of an answer gets the question and all words of the answer so far, and goes on', async () => {
    await asks();
    hears('Tea, please.');
    beginsAnswer('Here it is,');
    await call.pass(60);
    model.emit({ type: 'said', answer: 'a', text: ' three boxes of' });
    expect(await next()).toEqual({
      handle: null,
      history: ['Hello.', 'Tea, please.', 'Here it is, three boxes of'],
    });
    expect(model.audibleMs[1]).toBe(0);
    expect(call.asked('respond')).toHaveLength(1);
  });

  it('while its answer waits for the words of the question gets both', async () => {
    await asks();
    model.emit({ type: 'heard', turn: 't', text: 'Tea', isFinal: false }, { type: 'turn_ended', turn: 't' });
    beginsAnswer('Here it is');
    await call.pass(100);
    expect(call.said()).toEqual([['agent', 'Hello.']]);
    expect(await next()).toEqual({ handle: null, history: ['Hello.', 'Tea', 'Here it is'] });
  });

  it('after an answer continues by a handle of that moment, and without one with the history', async () => {
    await asks();
    hears('Tea, please.');
    model.say('a', 'Here it is.', 300);
    await call.pass(500);
    const without = await next();
    expect(without).toEqual({ handle: null, history: ['Hello.', 'Tea, please.', 'Here it is.'] });
    expect(call.asked('respond')).toEqual([]);
    model.say('b', 'Anything else?', 300);
    model.emit({ type: 'resumable', handle: 'h2' });
    await call.pass(500);
    model.fail(failure());
    await call.pass(100);
    expect(model.openings[2]).toMatchObject({ handle: 'h2', history: [] });
  });

  it('while it uses a tool gets the request', async () => {
    await asks();
    hears('Have you got tea?');
    model.emit({ type: 'tool', id: 'x', name: 'stock', args: {} });
    await call.pass(40);
    expect(await next()).toEqual({ handle: null, history: ['Hello.', 'Have you got tea?'] });
  });

  it('and after it was told something gets that', async () => {
    call.conversation.sendText('Tea, please.');
    expect(await next()).toEqual({ handle: null, history: ['Hello.', 'Tea, please.'] });
  });

  it('also by a handle that comes before the model has reacted, which may have been on its way', async () => {
    call.conversation.sendText('Tea, please.');
    model.emit({ type: 'resumable', handle: 'h2' });
    expect(await next()).toEqual({ handle: null, history: ['Hello.', 'Tea, please.'] });
  });

  it('continues by it if the words of the human since then are heard again, and otherwise with the history', async () => {
    await asks();
    model.emit({ type: 'heard', turn: 't', text: 'Tea', isFinal: false });
    expect(await next()).toEqual({ handle: 'h1', history: [] });
    expect(model.audibleMs[1]).toBeGreaterThanOrEqual(560);
    model.say('a', 'Here it is.', 300);
    model.emit({ type: 'resumable', handle: 'h2' });
    await call.pass(500);
    // Too soft to be noticed on this side.
    model.emit({ type: 'heard', turn: 't', text: 'Thanks.', isFinal: false });
    model.fail(failure());
    await call.pass(100);
    const { handle, history = [] } = model.openings[2] ?? {};
    expect(handle).toBeNull();
    expect(history.at(-1)).toEqual({ role: 'user', content: 'Thanks.' });
  });
});
