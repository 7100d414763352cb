import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { tone } from '@parley/media/testing';
import { createGeminiLive } from '../src/live/gemini-live.ts';
import type { LiveConnection, LiveEvent, LiveModel, LiveOpening } from '../src/live/live-model.ts';
import { createOpenAiRealtime } from '../src/live/openai-realtime.ts';
import type { SpeechError } from '../src/ports.ts';
import { createGeminiLiveDouble, createOpenAiRealtimeDouble, type LiveDouble } from '../src/testing/index.ts';
import { IMPATIENT, PATIENT } from './providers.ts';

const OPENING: LiveOpening = {
  instructions: 'You sell tea.',
  voiceId: 'Puck',
  speed: 1.2,
  temperature: 0.3,
  language: 'de-DE',
  tools: [
    { name: 'stock', description: 'Looks', parameters: null, behavior: 'blocking', scheduling: 'when_idle' },
    {
      name: 'order',
      description: 'Orders',
      parameters: { properties: { tea: { type: 'string' } } },
      behavior: 'non_blocking',
      scheduling: 'when_idle',
    },
    { name: 'log', description: 'Notes', parameters: null, behavior: 'non_blocking', scheduling: 'silent' },
  ],
  silenceMs: 700,
  isInterruptible: true,
  handle: null,
  history: [],
};
const PIECE_MS = 20;

describe.each([
  {
    name: 'gemini-live',
    createDouble: createGeminiLiveDouble,
    create: createGeminiLive,
    path: '',
    rate: 16_000,
  },
  {
    name: 'openai-realtime',
    createDouble: createOpenAiRealtimeDouble,
    create: createOpenAiRealtime,
    path: '/v1',
    rate: 24_000,
  },
])('$name [assistants.23]', ({ name, createDouble, create, path, rate }) => {
  let double: LiveDouble;
  let events: LiveEvent[];
  let failures: SpeechError[];
  let connection: LiveConnection | undefined;

  beforeEach(async () => {
    double = await createDouble();
    events = [];
    failures = [];
  });
  afterEach(async () => {
    connection?.close();
    connection = undefined;
    await double.close();
  });

  const modelOf = (key = double.key, limits = PATIENT): LiveModel =>
    create({ name, baseUrl: `${double.url}${path}`, apiKey: key, limits });
  const connect = async (opening: Partial<LiveOpening> = {}, model = modelOf()): Promise<LiveConnection> => {
    const listener = {
      onEvent: (event: LiveEvent) => void events.push(event),
      onFailure: (failure: SpeechError) => void failures.push(failure),
    };
    connection = await model.connect({ ...OPENING, ...opening }, listener, new AbortController().signal);
    return connection;
  };
  const until = async <T>(find: () => T | undefined | false | Promise<T | undefined | false>): Promise<T> => {
    for (let i = 0; i < 4_000; i += 1) {
      const found = await find();
      if (found) return found;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    throw new Error(`Not within twenty seconds: ${JSON.stringify(events.map(({ type }) => type))}`);
  };
  const event = <T extends LiveEvent['type']>(type: T) =>
    until(() => events.find((each): each is Extract<LiveEvent, { type: T }> => each.type === type));
  const speak = (to: LiveConnection, ms = 300): void => {
    for (let at = 0; at < ms; at += PIECE_MS) to.hear(tone(300, PIECE_MS, rate));
    for (let at = 0; at < 500; at += PIECE_MS) to.hear(new Int16Array((rate * PIECE_MS) / 1_000));
  };

  it('hears the human and answers: words of both sides, and the audio of the answer', async () => {
    double.hears('a cup of tea');
    const opened = await connect();
    speak(opened);
    await event('done');
    await until(() => events.some((each) => each.type === 'heard' && each.isFinal));
    const heard = events.findLast((each) => each.type === 'heard');
    expect(heard).toMatchObject({ text: 'a cup of tea', isFinal: true });
    const words = events.flatMap((each) => (each.type === 'said' ? [each.text] : [])).join('');
    expect(words).toBe('You said a cup of tea.');
    const samples = events.flatMap((each) => (each.type === 'audio' ? [...each.samples] : []));
    expect(samples).toHaveLength((words.length * 20 * 24_000) / 1_000);
    const order = events.map(({ type }) => type);
    expect(order.indexOf('turn_ended')).toBeLessThan(order.indexOf('audio'));
    expect(order.lastIndexOf('audio')).toBeLessThan(order.indexOf('answer_ended'));
    expect(order.indexOf('answer_ended')).toBeLessThan(order.indexOf('done'));
  });

  it('tells the end of a turn as soon as the provider does', async () => {
    await connect();
    if (name === 'gemini-live')
      double.send({ serverContent: { inputTranscription: { text: 'Tea', finished: true } } });
    else double.send({ type: 'input_audio_buffer.committed', item_id: 'item' });
    await event('turn_ended');
    if (name !== 'gemini-live') return;
    expect(events.at(-1)).toMatchObject({ text: 'Tea', isFinal: true });
    double.send({ serverContent: { outputTranscription: { text: 'Which one?' } } });
    await event('said');
    expect(events.filter(({ type }) => type === 'turn_ended')).toHaveLength(1);
  });

  it('speaks by an instruction, and answers what is written to it', async () => {
    double.moves((cause) => ('told' in cause ? [{ say: cause.told.slice(-6) }] : []));
    const opened = await connect();
    opened.respond('Say hello!');
    await event('done');
    opened.sendText('Pressed 4 2.');
    await until(() => double.said.length === 2);
    expect(double.said[1]).toBe('d 4 2.');
  });

  it.each([
    ['401', { key: 'wrong' }, 'credentials'],
    ['429', { behavior: { kind: 'status', status: 429 } }, 'rate_limit'],
    ['500', { behavior: { kind: 'status', status: 500 } }, 'unavailable'],
    ['garbage', { behavior: { kind: 'garbage' } }, 'protocol'],
    ['silence', { behavior: { kind: 'hang' } }, 'timeout'],
  ] as const)('that fails with %s is told from other failures, without the key', async (_, given, kind) => {
    if ('behavior' in given) double.behave(given.behavior);
    const limits = kind === 'timeout' ? IMPATIENT : PATIENT;
    const attempt = connect({}, modelOf('key' in given ? given.key : undefined, limits));
    await expect(attempt).rejects.toMatchObject({ name: 'SpeechError', kind });
    await attempt.catch((err: Error) => expect(err.message).not.toMatch(/wrong|double-/));
    await until(async () => (await double.openConnections()) === 0);
  });

  it('that sends garbage later has failed once; the process lives', async () => {
    await connect();
    double.send('not an object');
    await until(() => failures.length > 0);
    double.breakOff();
    expect(failures).toMatchObject([{ kind: 'protocol' }]);
  });

  it('that breaks off has failed, and after close nothing is told', async () => {
    await connect();
    double.breakOff();
    await until(() => failures.length > 0);
    expect(failures).toMatchObject([{ kind: 'unavailable' }]);
    const opened = await connect();
    opened.close();
    double.breakOff();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(failures).toHaveLength(1);
  });

  it('a slow one is waited for', async () => {
    double.behave({ kind: 'slow', delayMs: 60 });
    await connect();
    connection?.respond('Say hello');
    await event('done');
  });

  it('uses tools, and gets their results as their scheduling says', async () => {
    double.moves((cause) => {
      if (!('told' in cause)) return [{ say: 'Done.' }];
      return ['stock', 'order', 'log'].map((tool) => ({ tool, args: { tea: 'Sencha' } }));
    });
    const opened = await connect();
    opened.sendText('Order tea');
    await until(() => events.filter(({ type }) => type === 'tool').length === 3);
    const tools = events.flatMap((each) => (each.type === 'tool' ? [each] : []));
    expect(tools.map(({ name, args }) => [name, args])).toEqual([
      ['stock', { tea: 'Sencha' }],
      ['order', { tea: 'Sencha' }],
      ['log', { tea: 'Sencha' }],
    ]);
    const uses = ['now', 'when_idle', 'silent'] as const;
    for (const [i, tool] of tools.entries())
      opened.answerTool({ ...tool, isKnown: true }, { result: { n: i }, error: null }, uses[i] ?? 'now');
    if (name === 'gemini-live') await expectGeminiResults();
    else await expectOpenAiResults(opened);
  });

  const expectGeminiResults = async (): Promise<void> => {
    const responses = await until(() => {
      const sent = double.received[0]?.flatMap(({ toolResponse }) => toolResponse?.functionResponses ?? []);
      return sent?.length === 3 && sent;
    });
    expect(responses).toEqual([
      { id: 'tool-1', name: 'stock', response: { output: { n: 0 } } },
      { id: 'tool-2', name: 'order', response: { output: { n: 1 } }, scheduling: 'WHEN_IDLE' },
      { id: 'tool-3', name: 'log', response: { output: { n: 2 } }, scheduling: 'SILENT' },
    ]);
    expect(double.received[0]?.[0].setup.tools[0].functionDeclarations).toMatchObject([
      { name: 'stock', behavior: 'BLOCKING' },
      {
        name: 'order',
        behavior: 'NON_BLOCKING',
        parametersJsonSchema: { properties: { tea: { type: 'string' } } },
      },
      { name: 'log', behavior: 'NON_BLOCKING' },
    ]);
  };

  /** While the blocking tool runs, the server must not answer by itself; only results that are to be spoken ask for a response. */
  const expectOpenAiResults = async (opened: LiveConnection): Promise<void> => {
    const sent = () => double.received[0] ?? [];
    const detections = () =>
      sent().flatMap(({ session }) => session?.audio?.input?.turn_detection?.create_response ?? []);
    const asked = () => sent().filter(({ type }) => type === 'response.create').length;
    await until(() => detections().length === 3);
    expect(detections()).toEqual([true, false, true]);
    await until(() => asked() === 2);
    await until(() => {
      opened.idle();
      return asked() === 3;
    });
    await until(() => double.said.length === 2);
    opened.idle();
    const outputs = sent().flatMap(({ item }) =>
      item?.type === 'function_call_output' ? [item.output] : [],
    );
    expect(outputs).toEqual(['{"n":0}', '{"n":1}', '{"n":2}']);
    expect(asked()).toBe(3);
  };

  it('knows what was said before: by its handle, or by the history', async () => {
    const history = [
      { role: 'agent', content: 'Hello?' },
      { role: 'user', content: 'Tea, please.' },
      { role: 'tool', name: 'stock', args: { n: 1 }, result: { pieces: 3 }, error: null },
    ] as const;
    await connect({ history });
    const sent = await until(() => {
      const messages = double.received[0] ?? [];
      return messages.length > (name === 'gemini-live' ? 1 : 4) && JSON.stringify(messages.slice(1));
    });
    for (const words of ['Hello?', 'Tea, please.', 'stock', 'pieces']) expect(sent).toContain(words);
    if (name !== 'gemini-live') return;
    expect(double.received[0]?.[0].setup.historyConfig).toEqual({ initialHistoryInClientContent: true });
    connection?.sendText('Go on');
    const { handle } = await event('resumable');
    await connect({ handle, history });
    expect(double.received[1]?.[0].setup).toMatchObject({ sessionResumption: { handle } });
    expect(double.received[1]).toHaveLength(1);
    await expect(connect({ handle: 'forged' })).rejects.toMatchObject({ kind: 'request' });
  });

  it('an interruption is told at once; OpenAI learns what was heard', async () => {
    double.hears('stop');
    double.moves((cause) => ('told' in cause ? [{ say: 'A very long answer. '.repeat(10) }] : []));
    const opened = await connect();
    opened.sendText('Begin');
    const { answer } = await event('audio');
    speak(opened);
    await event('interrupted');
    opened.cutOff(answer, 412.6);
    if (name === 'gemini-live') return;
    const truncated = await until(() =>
      double.received[0]?.find(({ type }) => type === 'conversation.item.truncate'),
    );
    expect(truncated).toMatchObject({ item_id: answer, audio_end_ms: 412, content_index: 0 });
  });
});
