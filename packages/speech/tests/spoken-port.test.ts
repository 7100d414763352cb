import { setImmediate as soon } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { SpeechError } from '../src/index.ts';
import { type Conversation, converse, never } from './conversation.ts';
import { MS_PER_CHARACTER } from './doubles/text-to-speech-double.ts';

const SENTENCE = 'We are open every day from nine to six except on public holidays.';
const open: Conversation[] = [];
const begin: typeof converse = (options) => {
  const conversation = converse(options);
  open.push(conversation);
  return conversation;
};
afterEach(() => {
  for (const { close } of open.splice(0)) close();
});

describe('hear', () => {
  it('resolves with the words when the human has been silent for long enough', async () => {
    const { port, human, until, events } = begin();
    human('I need a table.', 1_000);
    const heard = await until(port.hear(never));
    expect(heard).toMatchObject({ text: 'I need a table.', source: 'speech', confidence: 0.9 });
    expect(heard.endedAtMs - heard.startedAtMs).toBeGreaterThan(900);
    expect(heard.endedAtMs - heard.startedAtMs).toBeLessThan(1_200);
    expect(events.map(({ type }) => type)).toEqual(['speech_started', 'speech_stopped', 'interim']);
  });

  it('waits 600 ms after a complete sentence, and longer after an unfinished one', async () => {
    const { port, human, until, clock } = begin();
    for (const [text, silenceMs] of [
      ['I need a table.', 600],
      ['I need a table and', 1_500],
      ['I need a table,', 1_500],
    ] as const) {
      human(text, 600);
      const heard = await until(port.hear(never));
      const waitedMs = clock.nowMs() - heard.endedAtMs;
      expect(waitedMs).toBeGreaterThanOrEqual(silenceMs);
      expect(waitedMs).toBeLessThan(silenceMs + 150);
    }
  });

  it('can wait only 200 ms [assistants.10]', async () => {
    const { port, human, until, clock } = begin({ turns: { silenceMs: 200 } });
    human('I need a table.', 600);
    const heard = await until(port.hear(never));
    expect(clock.nowMs() - heard.endedAtMs).toBeLessThanOrEqual(240);
  });

  it('joins what is said with a short pause', async () => {
    const { port, human, until, pass } = begin();
    human('I need a table and', 600);
    await pass(1_600);
    human('a high chair.', 600);
    expect((await until(port.hear(never))).text).toBe('I need a table and a high chair.');
  });

  it('loses nothing that was said before the call', async () => {
    const { port, human, until, pass } = begin();
    human('First thing.', 500);
    await pass(2_500);
    human('Second thing.', 500);
    await pass(300);
    expect((await until(port.hear(never))).text).toBe('First thing.');
    expect((await until(port.hear(never))).text).toBe('Second thing.');
  });

  it('rejects with the reason of its signal, and the next call gets the turn', async () => {
    const { port, human, until, pass } = begin();
    const abort = new AbortController();
    const heard = port.hear(abort.signal);
    heard.catch(() => undefined);
    await pass(100);
    abort.abort(new Error('changed my mind'));
    await expect(heard).rejects.toThrow('changed my mind');
    human('Hello?', 400);
    expect((await until(port.hear(never))).text).toBe('Hello?');
  });

  it('ignores sound without words', async () => {
    const { port, human, until, pass } = begin();
    human('', 700);
    await pass(3_000);
    human('Hello?', 400);
    expect((await until(port.hear(never))).text).toBe('Hello?');
  });

  it('treats keys as a turn, after a pause or at #', async () => {
    const { port, pair, until } = begin();
    void pair.far.sendDigits('4711#');
    expect(await until(port.hear(never))).toMatchObject({ text: '4711', source: 'keys', confidence: null });
    void pair.far.sendDigits('2');
    const heard = await until(port.hear(never));
    expect(heard).toMatchObject({ text: '2', source: 'keys' });
    void pair.far.sendDigits('#');
    expect((await until(port.hear(never))).text).toBe('#');
  });

  it('treats keys of the signalling like keys of the media', async () => {
    const { port, until, pass } = begin();
    for (const digit of '4711') {
      port.press(digit);
      await pass(500);
    }
    expect(await until(port.hear(never))).toMatchObject({ text: '4711', source: 'keys', confidence: null });
    for (const digit of '22#') port.press(digit);
    expect((await until(port.hear(never))).text).toBe('22');
  });

  it('says an apology to its end when the recognizer has failed in the middle of a turn', async () => {
    const { port, stt, human, until } = begin();
    stt.interimAfterMs = 200;
    stt.willFail(new SpeechError('double', 'unavailable', 'gone'));
    human('Is anybody there?', 1_000);
    await expect(until(port.hear(never))).rejects.toThrow(SpeechError);
    expect(await until(port.say('I am sorry.', never))).toMatchObject({
      text: 'I am sorry.',
      isInterrupted: false,
    });
  });

  it('rejects with SpeechError when the recognizer has failed', async () => {
    const { port, stt, human, until } = begin();
    stt.willFail(new SpeechError('double', 'unavailable', 'gone'));
    human('Hello?', 400);
    await expect(until(port.hear(never))).rejects.toThrow(SpeechError);
    await expect(port.hear(never)).rejects.toThrow(SpeechError);
  });

  it('rejects when the session closes', async () => {
    const { port, pair, pass } = begin();
    const heard = port.hear(never);
    heard.catch(() => undefined);
    pair.close();
    await pass(20);
    await expect(heard).rejects.toThrow('closed');
    await expect(port.say('Hello', never)).rejects.toThrow('closed');
  });
});

describe('say', () => {
  it('resolves when everything has been heard', async () => {
    const { port, until, tts, sent, clock } = begin();
    const startMs = clock.nowMs();
    const spoken = await until(port.say('Hello there. How can I help you?', never));
    expect(spoken).toMatchObject({ text: 'Hello there. How can I help you?', isInterrupted: false });
    expect(spoken.firstAudioAtMs).toBeLessThanOrEqual(startMs + 60);
    expect(tts.spoken).toEqual(['Hello there.', 'How can I help you?']);
    const audible = sent.filter(({ source }) => source === 'audio').length;
    expect(Math.abs(audible * 20 - 31 * MS_PER_CHARACTER)).toBeLessThanOrEqual(20);
  });

  it('speaks the first sentence of a stream before the second one has arrived', async () => {
    const { port, pass, until, tts } = begin();
    let release = (): void => undefined;
    const later = new Promise<void>((resolve) => {
      release = resolve;
    });
    const stream = async function* () {
      yield 'One mo';
      yield 'ment. ';
      await later;
      yield 'Here it is.';
    };
    const spoken = port.say(stream(), never);
    await pass(100);
    expect(tts.spoken).toEqual(['One moment.']);
    release();
    expect((await until(spoken)).text).toBe('One moment. Here it is.');
  });

  it('speaks one answer after the other', async () => {
    const { port, until } = begin();
    const both = [port.say('One.', never), port.say('Two.', never)];
    const [first, second] = await until(Promise.all(both));
    expect(second?.firstAudioAtMs ?? 0).toBeGreaterThan(
      (first?.firstAudioAtMs ?? 0) + 4 * MS_PER_CHARACTER - 20,
    );
  });

  it('stops and rejects when its signal aborts; the event contains what was heard', async () => {
    const { port, pass, sent, events } = begin();
    const abort = new AbortController();
    const spoken = port.say(SENTENCE, abort.signal);
    spoken.catch(() => undefined);
    await pass(1_000);
    abort.abort(new Error('hung up'));
    await expect(spoken).rejects.toThrow('hung up');
    const before = sent.length;
    await pass(500);
    expect(sent.slice(before).every(({ source }) => source === 'silence')).toBe(true);
    expect(events.at(-1)).toMatchObject({ type: 'said', spoken: { isInterrupted: false } });
  });

  it('plays the audio so far and rejects when the text or its synthesis fails', async () => {
    const { port, until, tts, events } = begin();
    const stream = async function* () {
      yield 'One moment. ';
      throw new Error('no more text');
    };
    await expect(until(port.say(stream(), never))).rejects.toThrow('no more text');
    expect(events.at(-1)).toMatchObject({ type: 'said', spoken: { text: 'One moment.' } });
    tts.willFail(new SpeechError('double', 'unavailable', 'gone'));
    await expect(until(port.say('Hello.', never))).rejects.toThrow(SpeechError);
  });

  it('reports how long the human waited for an answer', async () => {
    const { port, human, until, events } = begin();
    human('I need a table.', 600);
    await until(port.hear(never));
    await until(port.say('For how many people?', never));
    const answered = events.find((event) => event.type === 'answered');
    if (!answered) throw new Error('no latency was reported');
    expect(answered.endOfTurnAtMs - answered.endOfSpeechAtMs).toBeGreaterThanOrEqual(600);
    expect(answered.firstAudioAtMs - answered.endOfTurnAtMs).toBeLessThanOrEqual(60);
  });
});

describe('interruption', () => {
  const speakOver = async (conversation: Conversation, text: string, ms: number, afterMs = 1_500) => {
    const spoken = conversation.port.say(SENTENCE, never);
    await conversation.pass(afterMs);
    const startMs = conversation.clock.nowMs();
    conversation.human(text, ms);
    return { spoken: await conversation.until(spoken), startMs };
  };
  const silentFrom = ({ sent }: Conversation): number =>
    (sent.findLast(({ source }) => source === 'audio')?.atMs ?? 0) + 20;

  it('silences the assistant within 250 ms and reports what was heard', async () => {
    const conversation = begin({ conditions: { delayMs: 20, jitterMs: 20 } });
    const { spoken, startMs } = await speakOver(conversation, 'Wait, that is not what I want.', 1_500);
    expect(spoken.isInterrupted).toBe(true);
    expect(silentFrom(conversation) - startMs).toBeLessThanOrEqual(250);
    const heard = conversation.sent.filter(({ source }) => source === 'audio').length * 20;
    const expected = SENTENCE.slice(0, heard / MS_PER_CHARACTER).split(' ').length;
    expect(Math.abs(spoken.text.split(' ').length - expected)).toBeLessThanOrEqual(1);
    expect(SENTENCE.startsWith(spoken.text)).toBe(true);
    expect((await conversation.until(conversation.port.hear(never))).text).toBe(
      'Wait, that is not what I want.',
    );
  });

  it.each([
    ['a backchannel', 'mhm', 350],
    ['two of them', 'okay, yes', 700],
    ['a cough', '', 300],
  ])('continues after %s', async (_, text, ms) => {
    const conversation = begin();
    const { spoken } = await speakOver(conversation, text, ms);
    expect(spoken).toMatchObject({ text: SENTENCE, isInterrupted: false });
    expect(conversation.events.map(({ type }) => type)).toEqual(expect.arrayContaining(['held', 'resumed']));
    const audibleMs = conversation.sent.filter(({ source }) => source === 'audio').length * 20;
    expect(Math.abs(audibleMs - SENTENCE.length * MS_PER_CHARACTER)).toBeLessThanOrEqual(20);
    await conversation.pass(2_000);
    conversation.human('And on Sundays?', 600);
    expect((await conversation.until(conversation.port.hear(never))).text).toBe('And on Sundays?');
  });

  it('is not an "okay" followed by music: the assistant continues within two seconds', async () => {
    const conversation = begin();
    conversation.stt.interimAfterMs = 300;
    const { spoken } = await speakOver(conversation, 'okay', 20_000);
    expect(spoken).toMatchObject({ text: SENTENCE, isInterrupted: false });
    const changes = conversation.events.filter(({ type }) => type === 'held' || type === 'resumed');
    expect(changes.map(({ type }) => type)).toEqual(['held', 'resumed']);
    const [heldAtMs, resumedAtMs] = changes.map((event) => ('atMs' in event ? event.atMs : 0));
    expect((resumedAtMs ?? 0) - (heldAtMs ?? 0)).toBeLessThanOrEqual(2_000);
  });

  it('is what is said over music after an "okay"', async () => {
    const conversation = begin();
    conversation.stt.interimAfterMs = 300;
    const spoken = conversation.port.say(SENTENCE, never);
    await conversation.pass(1_000);
    conversation.human('okay', 20_000);
    await conversation.pass(3_000);
    conversation.stt.gives('stop please');
    expect((await conversation.until(spoken, 100)).isInterrupted).toBe(true);
  });

  it('can be a single meaningful word', async () => {
    const conversation = begin();
    const { spoken } = await speakOver(conversation, 'stop', 300);
    expect(spoken.isInterrupted).toBe(true);
  });

  it('happens as soon as interim words are meaningful', async () => {
    const conversation = begin();
    conversation.stt.interimAfterMs = 300;
    const { startMs } = await speakOver(conversation, 'no no no that is wrong', 2_500);
    expect(conversation.clock.nowMs() - startMs).toBeLessThan(600);
  });

  it('treats "yes" at the end of an answer as a reply', async () => {
    const conversation = begin();
    const { spoken } = await speakOver(conversation, 'yes', 300, SENTENCE.length * MS_PER_CHARACTER - 800);
    expect(spoken).toMatchObject({ text: SENTENCE, isInterrupted: false });
    expect((await conversation.until(conversation.port.hear(never))).text).toBe('yes');
  });

  it('happens on a key press', async () => {
    const { port, pair, pass, until } = begin();
    const spoken = port.say(SENTENCE, never);
    await pass(1_000);
    void pair.far.sendDigits('1#');
    expect((await until(spoken)).isInterrupted).toBe(true);
    expect((await until(port.hear(never))).text).toBe('1');
  });

  it('happens on a key of the signalling', async () => {
    const { port, pass, until } = begin();
    const spoken = port.say(SENTENCE, never);
    await pass(1_000);
    port.press('1');
    expect((await until(spoken, 100)).isInterrupted).toBe(true);
  });

  it('is ignored if the assistant must not be interrupted; the words are the next turn', async () => {
    const conversation = begin({ turns: { interruptible: false } });
    const { spoken } = await speakOver(conversation, 'I need a table.', 1_500);
    expect(spoken).toMatchObject({ text: SENTENCE, isInterrupted: false });
    expect((await conversation.until(conversation.port.hear(never))).text).toBe('I need a table.');
  });

  it('stops a text that is still being generated', async () => {
    const conversation = begin();
    let written = 0;
    const endless = async function* () {
      for (;;) {
        written += 1;
        yield 'And there is more to it. ';
        await soon();
      }
    };
    const spoken = conversation.port.say(endless(), never);
    await conversation.pass(1_000);
    conversation.human('stop it', 1_500);
    expect((await conversation.until(spoken)).isInterrupted).toBe(true);
    const then = written;
    await conversation.pass(5_000);
    expect(written - then).toBeLessThanOrEqual(1);
  });
});

describe('silence', () => {
  it('starts when both sides have stopped', async () => {
    const { port, human, until, pass, clock } = begin();
    const said = port.say('Hello.', never);
    await pass(100);
    expect(port.silentSinceMs).toBeNull();
    await until(said);
    expect(clock.nowMs() - (port.silentSinceMs ?? 0)).toBeLessThanOrEqual(20);
    await pass(1_000);
    human('Hello.', 500);
    await pass(300);
    expect(port.silentSinceMs).toBeNull();
    await pass(1_500);
    expect(clock.nowMs() - (port.silentSinceMs ?? 0)).toBeGreaterThan(1_000);
    expect(clock.nowMs() - (port.silentSinceMs ?? 0)).toBeLessThan(1_400);
  });

  it('includes sound without words after 20 s of it, pauses not counted [calls.26]', async () => {
    const { port, human, pass, clock, stt } = begin();
    human('', 12_000);
    await pass(14_000);
    human('', 60_000);
    await pass(7_500);
    expect(port.silentSinceMs).toBeNull();
    await pass(10_000);
    const silentMs = clock.nowMs() - (port.silentSinceMs ?? 0);
    expect(silentMs).toBeGreaterThan(8_500);
    expect(silentMs).toBeLessThan(10_000);
    stt.gives('Hello?');
    await pass(100);
    expect(port.silentSinceMs).toBeNull();
  });

  it('does not begin in the words of a human who speaks for long', async () => {
    const { port, human, pass, stt } = begin();
    human('', 60_000);
    for (let s = 0; s < 50; s += 10) {
      await pass(10_000);
      stt.gives('and another thing');
      expect(port.silentSinceMs).toBeNull();
    }
  });

  it('has all of the 20 s after an answer during which something sounded', async () => {
    const { port, human, pass, until } = begin({ turns: { interruptible: false } });
    human('', 60_000);
    await until(port.say(SENTENCE.repeat(6), never));
    await pass(15_000);
    expect(port.silentSinceMs).toBeNull();
  });
});
