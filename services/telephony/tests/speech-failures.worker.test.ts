import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createOpenAiDouble } from '@parley/speech/testing';
import { eventually } from '@parley/testkit';
import { timelineOf } from './call-in.ts';
import { type FakeOpenAi, fakeOpenAi } from './fake-openai.ts';
import { anyNumber, type Harness, type Json, startHarness } from './harness.ts';
import { callFrom, connectNumber, finished } from './place-call.ts';

const PATIENCE = { timeoutMs: 60_000 };
const ANSWER =
  'This is an answer of the model that takes about three seconds when the double of a provider says it aloud.';
const SECOND_OF_SPEECH_BYTES = 48_000;

describe('a spoken call whose provider of speech breaks off after a second [calls.20]', () => {
  let harness: Harness;
  let model: FakeOpenAi;
  let voice: Awaited<ReturnType<typeof createOpenAiDouble>>;

  beforeAll(async () => {
    model = await fakeOpenAi();
    voice = await createOpenAiDouble();
    const providers = [{ name: 'voice', type: 'openai', base_url: voice.url, api_key: voice.key }];
    harness = await startHarness({
      PROCESSES: 'both',
      CLOCK_RATE: '1',
      SIMULATOR_MEDIA: 'narrowband',
      OPENAI_BASE_URL: model.url,
      OPENAI_API_KEY: model.key,
      SPEECH_PROVIDERS: JSON.stringify(providers),
    });
    model.answer(() => ({ text: ANSWER }));
  });
  afterAll(async () => {
    await harness?.close();
    await model?.close();
    await voice?.close();
  });

  it('twice apologizes and ends, without another answer of the model', async () => {
    // Two attempts to say the answer; the apology is spoken.
    voice.behave({ kind: 'break', times: 2, afterBytes: SECOND_OF_SPEECH_BYTES });
    const config = {
      firstMessage: '',
      model: { provider: 'openai', name: 'tea-1', temperature: 0 },
      settings: { voicemail: { detection: false } },
    };
    const number = await connectNumber(harness, { agent: { config } });
    const id = await callFrom(harness, number, anyNumber('4242'));
    const call = await eventually(() => finished(harness, number.workspaceId, id), PATIENCE);
    expect(call).toMatchObject({ disconnection_reason: 'error' });
    expect(model.requests).toHaveLength(1);
    const timeline = await timelineOf(harness, number.workspaceId, id);
    const said = timeline.flatMap((entry: Json) => (entry.role === 'agent' ? [entry.content] : []));
    expect(said).toEqual([
      expect.stringMatching(/^This is an answer/),
      expect.stringMatching(/^I am sorry.*Goodbye/),
    ]);
    expect(said[0].length).toBeLessThan(ANSWER.length);
    expect(timeline.find(({ type }) => type === 'ended')).toMatchObject({ cause: 'no_speech' });
  });
});
