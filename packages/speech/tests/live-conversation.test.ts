import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { audibleMs } from '@parley/media/testing';
import { SpeechError } from '../src/index.ts';
import { RETRY_MS } from '../src/providers/limits.ts';
import type { LiveModelDouble } from './doubles/live-model-double.ts';
import { createLiveCall, failure, type LiveCall, TIMEOUT_MS } from './live-call.ts';

const NOTICE_MS = TIMEOUT_MS / 2;

describe('a conversation with a live model [assistants.23]', () => {
  let call: LiveCall;
  let model: LiveModelDouble;
  let turns: LiveCall['turns'];
  let used: LiveCall['used'];
  beforeEach(() => {
    call = createLiveCall();
    ({ model, turns, used } = call);
  });
  afterEach(() => call.close());

  it('has turns of both sides, the answer behind the words that it answers, with its latency', async () => {
    call.open({ opening: 'Greet the human.' });
    await call.pass(40);
    expect(call.asked('respond')).toEqual([['respond', 'Greet the human.']]);
    model.say('a', 'Good morning.', 600);
    await call.pass(1_000);
    call.human(500);
    await call.pass(900);
    model.emit({ type: 'turn_ended', turn: 't' });
    model.say('b', 'Sencha it is.', 500);
    await call.pass(300);
    expect(call.said()).toEqual([['agent', 'Good morning.']]);
    model.emit({ type: 'heard', turn: 't', text: 'Sencha, please.', isFinal: true });
    await call.pass(600);
    expect(call.said()).toEqual([
      ['agent', 'Good morning.'],
      ['user', 'Sencha, please.'],
      ['agent', 'Sencha it is.'],
    ]);
    const { endOfTurnMs, firstAudioMs } = (turns[2]?.latency ?? {}) as Record<string, number>;
    expect(endOfTurnMs).toBeGreaterThan(100);
    expect(firstAudioMs).toBeGreaterThanOrEqual(endOfTurnMs ?? 0);
    expect(model.heardSamples).toBeGreaterThan(8_000);
  });

  it('does not wait for words that never come; late words correct their turn', async () => {
    call.open();
    await call.pass(40);
    model.emit({ type: 'turn_ended', turn: 't' });
    model.say('a', 'I see.', 400);
    await call.pass(2_500);
    expect(call.said()).toEqual([['agent', 'I see.']]);
    model.emit({ type: 'heard', turn: 'u', text: 'Two', isFinal: true });
    model.emit({ type: 'heard', turn: 'u', text: 'Two cups', isFinal: true });
    expect(call.said().at(-1)).toEqual(['user', 'Two cups']);
  });

  it('an interruption silences it within a frame; the turn is what was heard, and the model learns where', async () => {
    call.open();
    await call.pass(40);
    model.say('a', 'one two three four five six seven eight nine ten', 5_000);
    await call.pass(2_000);
    const sent: number[] = [];
    call.pair.near.onSent(({ samples }) => sent.push(audibleMs(samples, 8_000)));
    model.emit({ type: 'interrupted' });
    model.emit({ type: 'audio', answer: 'a', samples: new Int16Array(8_000).fill(4_000) });
    await call.pass(200);
    expect(sent.slice(1).every((ms) => ms === 0)).toBe(true);
    expect(turns[0]?.text).toMatch(/^one two three( four)?$/);
    expect(turns[0]).toMatchObject({ isInterrupted: true });
    const [, answer, playedMs] = call.asked('cutOff')[0] as [string, string, number];
    expect(answer).toBe('a');
    expect(Math.abs(playedMs - 1_960)).toBeLessThanOrEqual(60);
  });

  it('is interrupted by a second of speech although the provider thinks that all was heard', async () => {
    call.open();
    await call.pass(40);
    model.say('a', 'one two three four five six seven eight nine ten', 5_000);
    await call.pass(500);
    call.human(2_000);
    await call.pass(1_600);
    expect(call.asked('cutOff')).toHaveLength(1);
    expect(turns[0]?.text.split(' ').length).toBeLessThan(6);
  });

  it('waits for a blocking tool, not for others; results are used as the tool says [tools.12]', async () => {
    call.open();
    await call.pass(40);
    for (const name of ['stock', 'order', 'log']) model.emit({ type: 'tool', id: name, name, args: {} });
    await call.pass(TIMEOUT_MS + 1_000);
    expect(call.conversation.silentSinceMs).toBeNull();
    expect(used.map(({ name }) => name)).toEqual(['stock', 'order', 'log']);
    for (const { finish } of used) finish(7);
    await call.pass(40);
    expect(call.asked('answerTool').map(([, tool, answer, use]) => [tool, answer, use])).toEqual(
      [
        ['stock', 'now'],
        ['order', 'when_idle'],
        ['log', 'silent'],
      ].map(([name, use]) => [
        expect.objectContaining({ id: name, name, isKnown: true }),
        { result: 7, error: null },
        use,
      ]),
    );
  });

  it('gives cancelled tools no answer', async () => {
    call.open();
    await call.pass(40);
    model.emit({ type: 'tool', id: 'x', name: 'order', args: {} });
    await call.pass(20);
    model.emit({ type: 'tools_cancelled', ids: ['x'] });
    used[0]?.finish(1);
    await call.pass(40);
    expect(call.asked('answerTool')).toEqual([]);
  });

  it('says goodbye to its end before it hangs up, and does not if the human speaks', async () => {
    call.open();
    await call.pass(40);
    model.say('a', 'Goodbye.', 1_000);
    model.emit({ type: 'tool', id: 'x', name: 'end_call', args: {} });
    await call.pass(500);
    expect(used).toEqual([]);
    model.emit({ type: 'interrupted' });
    await call.pass(40);
    expect(call.asked('answerTool')).toMatchObject([
      ['answerTool', { id: 'x' }, { error: expect.any(String) }, 'now'],
    ]);
    model.say('b', 'Goodbye then.', 1_000);
    model.emit({ type: 'tool', id: 'y', name: 'end_call', args: {} });
    await call.pass(900);
    expect(used).toEqual([]);
    await call.pass(200);
    expect(used.map(({ name }) => name)).toEqual(['end_call']);
  });

  it('takes keys as a turn, also over the answer', async () => {
    call.open();
    await call.pass(40);
    model.say('a', 'one two three four five six', 4_000);
    await call.pass(400);
    await Promise.all([call.pair.far.sendDigits('42'), call.pass(3_500)]);
    expect(call.asked('sendText')).toEqual([['sendText', 'Pressed 4 2.']]);
    expect(call.said().at(-1)).toEqual(['user', 'Pressed 4 2.']);
  });

  it('takes keys of the signalling as one turn', async () => {
    call.open();
    await call.pass(40);
    model.say('a', 'one two three four five six', 4_000);
    await call.pass(400);
    for (const digit of '4711') {
      call.conversation.press(digit);
      await call.pass(300);
    }
    await call.pass(2_000);
    expect(call.asked('sendText')).toEqual([['sendText', 'Pressed 4 7 1 1.']]);
    expect(turns[0]).toMatchObject({ isInterrupted: true });
  });

  it('tells since when both sides are silent', async () => {
    call.open();
    await call.pass(40);
    model.say('a', 'Hello.', 500);
    await call.pass(200);
    expect(call.conversation.silentSinceMs).toBeNull();
    await call.pass(400);
    const since = call.conversation.silentSinceMs ?? 0;
    expect(call.clock.nowMs() - since).toBeLessThanOrEqual(120);
    expect(model.idleMoments).toBeGreaterThan(0);
    call.human(300);
    await call.pass(200);
    expect(call.conversation.silentSinceMs).toBeNull();
  });

  it('counts sound without words as silence after 20 s of it [calls.26]', async () => {
    call.open();
    call.human(60_000);
    await call.pass(19_000);
    expect(call.conversation.silentSinceMs).toBeNull();
    await call.pass(6_000);
    const silentMs = call.clock.nowMs() - (call.conversation.silentSinceMs ?? 0);
    expect(silentMs).toBeGreaterThan(4_000);
    expect(silentMs).toBeLessThan(5_500);
    model.emit({ type: 'heard', turn: 't', text: 'Hello?', isFinal: false });
    await call.pass(100);
    expect(call.conversation.silentSinceMs).toBeNull();
  });

  describe('whose connection is lost', () => {
    it('goes on by its handle: what the human said meanwhile is heard, an answer that is due is asked for', async () => {
      call.open();
      await call.pass(40);
      model.say('a', 'One', 100);
      await call.pass(200);
      model.emit({ type: 'resumable', handle: 'h1' });
      call.human(400);
      await call.pass(700);
      model.emit({ type: 'heard', turn: 't', text: 'Hello', isFinal: true });
      model.emit({ type: 'turn_ended', turn: 't' });
      const before = model.heardSamples;
      model.fail(failure());
      await call.pass(400);
      expect(model.openings.map(({ handle }) => handle)).toEqual([null, 'h1']);
      expect(model.audibleMs[1]).toBeGreaterThanOrEqual(360);
      await call.pass(NOTICE_MS);
      expect(call.handles).toEqual(['h1']);
      expect(call.asked('respond')).toHaveLength(1);
      expect(model.heardSamples - before).toBeGreaterThanOrEqual(400 * 8 - 480);
      // The same words, heard again.
      model.emit({ type: 'heard', turn: 't', text: 'Hello?', isFinal: true });
      model.say('a', 'Here I am.', 300);
      await call.pass(400);
      expect(call.said()).toEqual([
        ['agent', 'One'],
        ['user', 'Hello?'],
        ['agent', 'Here I am.'],
      ]);
      expect(call.failures).toHaveLength(1);
    });

    it('goes on with the history where the handle is refused', async () => {
      call.history = [{ role: 'user', content: 'Tea.' }];
      model.refuse(failure('request'));
      call.open({ handle: 'old' });
      await call.pass(40);
      await new Promise((resolve) => setTimeout(resolve, 150));
      await call.pass(40);
      expect(model.openings.map(({ handle, history: given }) => [handle, given])).toEqual([
        ['old', []],
        [null, call.history],
      ]);
      expect(call.end).toBeUndefined();
    });

    it('answers a tool of the connection before', async () => {
      call.open();
      await call.pass(40);
      model.emit({ type: 'resumable', handle: 'h1' }, { type: 'tool', id: 'x', name: 'stock', args: {} });
      await call.pass(20);
      model.fail(failure());
      await call.pass(60);
      used[0]?.finish(1);
      await call.pass(40);
      expect(call.asked('answerTool')).toMatchObject([
        ['answerTool', { name: 'stock', isKnown: false }, {}, 'now'],
      ]);
    });

    it.each([
      ['twice without having done anything', [failure(), failure()]],
      ['for good', [failure('credentials')]],
    ])('%s: it ends with the reason', async (_, given) => {
      call.open();
      await call.pass(40);
      for (const each of given) {
        model.fail(each);
        await call.pass(60);
      }
      expect(call.end).toBeInstanceOf(SpeechError);
    });

    it.each([
      ['cannot be reached twice', [failure(), failure()], 2],
      ['refuses its credentials', [failure('credentials')], 1],
    ])('or that %s: it ends with the reason', async (_, refusals, attempts) => {
      model.refuse(...refusals);
      call.open();
      await call.pass(40);
      await new Promise((resolve) => setTimeout(resolve, 150));
      await call.pass(40);
      expect(model.openings).toHaveLength(attempts);
      expect(call.end).toBeInstanceOf(SpeechError);
    });

    it('in the moment in which it becomes ready is replaced by one other connection', async () => {
      model.failWhenReady(failure());
      call.open();
      await call.pass(40);
      await new Promise((resolve) => setTimeout(resolve, 2 * RETRY_MS));
      await call.pass(40);
      expect(model.openings).toHaveLength(2);
      expect(model.openConnections).toBe(1);
      expect(call.failures).toHaveLength(1);
      model.say('a', 'Hello.', 300);
      await call.pass(400);
      expect(call.said()).toEqual([['agent', 'Hello.']]);
      call.conversation.close();
      expect(model.openConnections).toBe(0);
    });

    it('after a notice, during an answer: the next one, which gave no notice, stays', async () => {
      call.open();
      await call.pass(40);
      model.say('a', 'one two three', 600);
      model.emit({ type: 'leaving' });
      await call.pass(200);
      model.fail(failure());
      await call.pass(1_000);
      expect(model.openings).toHaveLength(2);
    });

    it('on notice is not replaced again if the next one gives notice at once, until it has answered', async () => {
      call.open();
      await call.pass(40);
      for (const answer of ['a', 'b']) {
        model.say(answer, 'one two three', 600);
        for (let times = 0; times < 5; times += 1) {
          model.emit({ type: 'leaving' });
          await call.pass(400);
        }
      }
      expect(model.openings).toHaveLength(3);
    });

    it('on notice before its first answer is replaced after that', async () => {
      call.open();
      await call.pass(40);
      model.emit({ type: 'leaving' });
      await call.pass(400);
      expect(model.openings).toHaveLength(1);
      model.say('a', 'one two three', 300);
      await call.pass(1_000);
      expect(model.openings).toHaveLength(2);
    });

    it('on notice is replaced when nobody speaks', async () => {
      call.open();
      await call.pass(40);
      model.emit({ type: 'resumable', handle: 'h1' });
      model.say('a', 'one two three', 600);
      model.emit({ type: 'leaving' });
      await call.pass(400);
      expect(model.openings).toHaveLength(1);
      await call.pass(400);
      expect(model.openings).toHaveLength(2);
      expect(call.asked('respond')).toEqual([]);
      expect(turns[0]?.text).toBe('one two three');
    });
  });

  it.each([
    ['that does not answer', () => model.emit({ type: 'turn_ended', turn: 't' })],
    [
      'that stops in the middle',
      () => model.emit({ type: 'audio', answer: 'a', samples: new Int16Array(800) }),
    ],
    [
      'that takes no notice of words',
      () => model.emit({ type: 'heard', turn: 't', text: 'Hi', isFinal: false }),
    ],
  ])('a model %s has failed; another connection goes on', async (_, begin) => {
    call.open();
    await call.pass(40);
    begin();
    await call.pass(TIMEOUT_MS - 500);
    expect(model.openings).toHaveLength(1);
    await call.pass(1_000);
    expect(model.openings).toHaveLength(2);
    expect(call.failures).toMatchObject([{ kind: 'timeout' }]);
  });

  it('opens no other connection after it was stopped', async () => {
    model.refuse(failure());
    call.open();
    await call.pass(20);
    call.stop.abort(new Error('stop'));
    await new Promise((resolve) => setTimeout(resolve, 2 * RETRY_MS));
    expect(model.openings).toHaveLength(1);
  });

  it('records what was heard when it is stopped', async () => {
    call.open();
    await call.pass(40);
    model.say('a', 'one two three four five six seven eight nine ten', 5_000);
    model.emit({ type: 'heard', turn: 't', text: 'but I', isFinal: false });
    await call.pass(2_000);
    call.stop.abort(new Error('stop'));
    await call.conversation.settled();
    expect(turns[0]?.text).toMatch(/^one two three( four)?$/);
    expect(call.said().at(-1)).toEqual(['user', 'but I']);
    expect(call.end).toBe(call.stop.signal.reason);
  });

  it('leaves a message by a connection of its own, which has no tools', async () => {
    call.open();
    await call.pass(40);
    call.stop.abort(new Error('a machine picked up'));
    await call.pass(20);
    const left = call.conversation.sayExactly('Please call back.', new AbortController().signal);
    await call.pass(20);
    expect(model.openings[1]).toMatchObject({ tools: [], history: [] });
    expect(call.asked('respond').at(-1)?.[1]).toContain('Please call back.');
    model.say('m', 'Please call back.', 800);
    await call.pass(900);
    expect(await left).toMatchObject({ text: 'Please call back.', isInterrupted: false });
    expect(call.said()).toEqual([['agent', 'Please call back.']]);
  });

  it.each([0, 1_000])('leaves a message again, and records it, if it broke off after %i ms', async (ms) => {
    call.open();
    await call.pass(40);
    call.stop.abort(new Error('a machine picked up'));
    const left = call.conversation.sayExactly('Please call back today.', new AbortController().signal);
    await call.pass(20);
    model.emit({ type: 'said', answer: 'm', text: 'Please call back today.' });
    model.emit({ type: 'audio', answer: 'm', samples: new Int16Array(16_000).fill(4_000) });
    await call.pass(ms);
    model.fail(failure());
    await call.pass(20);
    model.say('m', 'Please call back today.', 800);
    await call.pass(900);
    expect(await left).toMatchObject({ text: 'Please call back today.', isInterrupted: false });
    const texts = call.said().map(([, text]) => text);
    expect(texts.at(-1)).toBe('Please call back today.');
    expect(texts.slice(0, -1)).toEqual(ms === 0 ? [] : [expect.stringMatching(/^Please call/)]);
  });

  it('has recorded what was heard of a message when it is settled', async () => {
    call.open();
    await call.pass(40);
    call.stop.abort(new Error('a machine picked up'));
    const leaving = new AbortController();
    const left = call.conversation
      .sayExactly('one two three four five six seven eight', leaving.signal)
      .catch((err: Error) => err.message);
    await call.pass(20);
    model.say('m', 'one two three four five six seven eight', 4_000);
    await call.pass(1_500);
    leaving.abort(new Error('the human is gone'));
    await call.conversation.settled();
    expect(call.said()).toEqual([['agent', expect.stringMatching(/^one two( three)?$/)]]);
    expect(await left).toBe('the human is gone');
  });
});
