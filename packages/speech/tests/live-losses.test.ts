import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MAX_UNCONFIRMED_MS } from '../src/providers/unconfirmed-audio.ts';
import type { LiveModelDouble } from './doubles/live-model-double.ts';
import { createLiveCall, failure, type LiveCall, TIMEOUT_MS } from './live-call.ts';

const NOTICE_MS = TIMEOUT_MS / 2;

/** As with Gemini, whose turn of the human ends only by the beginning of the answer. */
describe('a live model that is lost, or silent, before it has answered the human [assistants.23]', () => {
  let call: LiveCall;
  let model: LiveModelDouble;
  beforeEach(() => {
    call = createLiveCall();
    model = call.model;
  });
  afterEach(() => call.close());

  const words = (text: string, turn = 't') => model.emit({ type: 'heard', turn, text, isFinal: false });
  const answer = (text: string, turn = 't'): void => {
    model.emit({ type: 'turn_ended', turn }, { type: 'heard', turn, text, isFinal: true });
    model.say(`to ${turn}`, 'Here it is.', 300);
  };
  const greeted = async (): Promise<void> => {
    call.open();
    await call.pass(40);
    model.say('greeting', 'Hello.', 300);
    await call.pass(500);
  };
  const asks = async (): Promise<void> => {
    call.human(600);
    await call.pass(1_000);
  };

  it('another connection hears the question again, whose words stay one turn', async () => {
    await greeted();
    await asks();
    words('Tea');
    model.fail(failure());
    await call.pass(400);
    expect(model.audibleMs[1]).toBeGreaterThanOrEqual(560);
    words('Tea, please.');
    await call.pass(100);
    answer('Tea, please.');
    await call.pass(2 * TIMEOUT_MS);
    expect(call.said()).toEqual([
      ['agent', 'Hello.'],
      ['user', 'Tea, please.'],
      ['agent', 'Here it is.'],
    ]);
    // The model answers what it hears; to be asked for it in addition would give two answers.
    expect(call.asked('respond')).toEqual([]);
    expect(model.openings).toHaveLength(2);
  });

  it('a conversation that is closed while its history is read opens no other connection', async () => {
    await greeted();
    model.fail(failure());
    call.conversation.close();
    await call.pass(100);
    expect(model.openings).toHaveLength(1);
  });

  it('another connection hears a question from its beginning that the loss cut in two', async () => {
    await greeted();
    call.human(3_000);
    await call.pass(1_500);
    model.fail(failure());
    await call.pass(2_500);
    expect(model.audibleMs[1]).toBeGreaterThanOrEqual(2_900);
  });

  it('another connection does not hear again what was answered', async () => {
    await greeted();
    await asks();
    answer('Tea, please.');
    await call.pass(600);
    model.fail(failure());
    await call.pass(400);
    expect(model.openings).toHaveLength(2);
    expect(model.audibleMs[1]).toBe(0);
  });

  it('later words correct only the turn that they repeat', async () => {
    await greeted();
    await asks();
    model.emit({ type: 'turn_ended', turn: 't' });
    model.say('to t', 'Here it is.', 300);
    model.emit({ type: 'heard', turn: 't', text: 'Tea, please.', isFinal: true });
    await call.pass(600);
    await asks();
    words('Thanks', 'u');
    model.fail(failure());
    await call.pass(100);
    answer('Thank you.', 'v');
    await call.pass(600);
    expect(call.said()).toEqual([
      ['agent', 'Hello.'],
      ['user', 'Tea, please.'],
      ['agent', 'Here it is.'],
      ['user', 'Thank you.'],
      ['agent', 'Here it is.'],
    ]);
  });

  it('a model that does not notice the repeated question is asked to go on', async () => {
    await greeted();
    await asks();
    words('Tea');
    model.fail(failure());
    await call.pass(NOTICE_MS - 100);
    expect(call.asked('respond')).toEqual([]);
    await call.pass(200);
    expect(call.asked('respond')).toHaveLength(1);
    model.say('a', 'What can I do for you?', 300);
    await call.pass(2 * TIMEOUT_MS);
    expect(model.openings).toHaveLength(2);
    expect(call.end).toBeUndefined();
  });

  it.each<[string, () => void]>([
    ['only transcribes', () => words('Tea')],
    ['only ends the turn', () => model.emit({ type: 'turn_ended', turn: 't' })],
    [
      'only transcribes, and ends the turn',
      () =>
        model.emit(
          { type: 'turn_ended', turn: 't' },
          { type: 'heard', turn: 't', text: 'Tea', isFinal: true },
        ),
    ],
    ['does nothing at all', () => {}],
  ])('a model that %s is replaced once, and then given up', async (_, react) => {
    await greeted();
    await asks();
    react();
    await call.pass(TIMEOUT_MS - 600);
    expect(call.conversation.silentSinceMs).toBeNull();
    expect(model.openings).toHaveLength(1);
    await call.pass(800);
    expect(model.openings).toHaveLength(2);
    expect(model.audibleMs[1]).toBeGreaterThanOrEqual(560);
    react();
    await call.pass(TIMEOUT_MS - 200);
    expect(call.end).toBeUndefined();
    await call.pass(NOTICE_MS + 600);
    expect(model.openings).toHaveLength(2);
    expect(call.failures).toMatchObject([{ kind: 'timeout' }, { kind: 'timeout' }]);
    expect(call.end).toMatchObject({ name: 'SpeechError', kind: 'timeout' });
  });

  it('a model that breaks off again after it heard the question again is given up', async () => {
    await greeted();
    await asks();
    words('Tea');
    for (let connection = 1; connection <= 2; connection += 1) {
      expect(call.end).toBeUndefined();
      expect(model.openings).toHaveLength(connection);
      model.fail(failure());
      await call.pass(400);
      model.emit({ type: 'turn_ended', turn: 't' }, { type: 'heard', turn: 't', text: 'Tea', isFinal: true });
      await call.pass(100);
    }
    expect(call.end).toMatchObject({ name: 'SpeechError', kind: 'unavailable' });
    expect(model.openings).toHaveLength(2);
  });

  it('a cough long before the question does not make it two turns', async () => {
    await greeted();
    call.human(200);
    await call.pass(MAX_UNCONFIRMED_MS);
    await asks();
    words('Tea');
    model.fail(failure());
    await call.pass(400);
    expect(model.audibleMs[1]).toBeGreaterThanOrEqual(560);
    answer('Tea, please.');
    await call.pass(600);
    expect(call.said()).toEqual([
      ['agent', 'Hello.'],
      ['user', 'Tea, please.'],
      ['agent', 'Here it is.'],
    ]);
  });

  it('a model that sends only handles is silent', async () => {
    await greeted();
    await asks();
    words('Tea');
    for (let ms = 0; ms < TIMEOUT_MS; ms += 500) {
      model.emit({ type: 'resumable', handle: `h${ms}` });
      await call.pass(500);
    }
    await call.pass(200);
    expect(model.openings.map(({ handle }) => handle)).toEqual([null, 'h2500']);
  });

  it('what the human writes between two connections is due', async () => {
    await greeted();
    model.fail(failure());
    call.conversation.sendText('Tea, please.');
    await call.pass(TIMEOUT_MS - 100);
    expect(call.asked('sendText')).toEqual([['sendText', 'Tea, please.']]);
    expect(call.end).toBeUndefined();
    await call.pass(300);
    expect(call.end).toMatchObject({ kind: 'timeout' });
  });

  it('an answer in between makes the next silence the first one', async () => {
    await greeted();
    for (const turn of ['t', 'u']) {
      await asks();
      words('Tea', turn);
      await call.pass(TIMEOUT_MS + 200);
      answer('Tea', turn);
      await call.pass(600);
    }
    expect(model.openings).toHaveLength(3);
    expect(call.end).toBeUndefined();
  });

  it('sound that no connection notices costs one of them, until words are heard', async () => {
    await greeted();
    await asks();
    await call.pass(TIMEOUT_MS + NOTICE_MS + 200);
    expect(model.openings).toHaveLength(2);
    expect(call.asked('respond')).toHaveLength(1);
    model.say('a', 'Are you there?', 300);
    await call.pass(500);
    await asks();
    await call.pass(3 * TIMEOUT_MS);
    expect(model.openings).toHaveLength(2);
    expect(call.conversation.silentSinceMs).not.toBeNull();
    expect(call.end).toBeUndefined();
  });
});
