import { describe, expect, it } from '@jest/globals';
import { createLogger } from '@parley/kit/log';
import type { SpeechToText, TextToSpeech } from '@parley/speech';
import type { SpeechProvider } from '@parley/speech/providers';
import { createOpenAiDouble } from '@parley/speech/testing';
import { readCallConfig } from '../src/assistants/call-config.ts';
import { createFindHearing, createFindSpeech, createFindVoice } from '../src/speech/provider-speech.ts';

const log = createLogger({ service: 'telephony', level: 'silent' });
const base_url = 'http://127.0.0.1:1';
const OPENAI: SpeechProvider = { name: 'openai', type: 'openai', base_url };
const DEEPGRAM: SpeechProvider = { name: 'deepgram', type: 'deepgram', base_url };
const settingsOf = (SPEECH_PROVIDERS: SpeechProvider[]) => ({
  SPEECH_PROVIDERS,
  OPENAI_BASE_URL: undefined,
  OPENAI_API_KEY: undefined,
  SPEECH_TIMEOUT_SECONDS: 3,
});

describe('the voice of a call [assistants.20]', () => {
  const find = createFindSpeech(settingsOf([OPENAI, DEEPGRAM]), log);
  const voiceOf = async (voice: Record<string, unknown>) => {
    const config = readCallConfig({ voice: { speed: 1, ...voice } });
    const { tts, voice: chosen } = await (await find)({
      ...config,
      workspaceId: 'workspace',
      callId: 'call',
      lineRate: 8_000,
    });
    return [tts.name, chosen?.voiceId];
  };

  it("is the assistant's choice at a configured provider", async () => {
    expect(await voiceOf({ provider: 'deepgram', voiceId: 'aura-2-apollo-en' })).toEqual([
      'deepgram',
      'aura-2-apollo-en',
    ]);
    expect(await voiceOf({ provider: 'openai', voiceId: 'nova' })).toEqual(['openai', 'nova']);
  });

  it("is the default of the first provider if the chosen one isn't configured", async () => {
    expect(await voiceOf({ provider: 'cartesia', voiceId: 'f786b574' })).toEqual(['openai', undefined]);
    expect(await voiceOf({ voiceId: 'aria' })).toEqual(['openai', undefined]);
  });
});

it('the voice of an apology needs no recognition [calls.20]', async () => {
  const find = await createFindVoice(settingsOf([{ ...OPENAI, uses: ['voice'] }]), log);
  expect((await find({ ...readCallConfig({}), callId: 'call', lineRate: 8_000 })).tts.name).toBe('openai');
});

describe('the recognition of a call [assistants.21]', () => {
  const earsOf = async (list: SpeechProvider[], provider?: string) => {
    const find = await createFindSpeech(settingsOf(list), log);
    const { stt } = await find({
      ...readCallConfig({ transcriber: { provider } }),
      workspaceId: 'workspace',
      callId: 'call',
      lineRate: 8_000,
    });
    return stt.name;
  };

  it('is by the provider that the assistant names, otherwise by the first one', async () => {
    expect(await earsOf([OPENAI, DEEPGRAM])).toBe('openai');
    expect(await earsOf([OPENAI, DEEPGRAM], 'deepgram')).toBe('deepgram');
    expect(await earsOf([OPENAI, DEEPGRAM], 'gone')).toBe('openai');
    expect(await earsOf([{ ...OPENAI, uses: ['voice'] }, DEEPGRAM])).toBe('deepgram');
  });

  it('has the time that the operator gives it [running.12]', async () => {
    const double = await createOpenAiDouble();
    double.behave({ kind: 'slow', delayMs: 4_300 });
    const provider = { ...OPENAI, base_url: double.url, api_key: double.key };
    const find = await createFindSpeech({ ...settingsOf([provider]), SPEECH_TIMEOUT_SECONDS: 10 }, log);
    const { stt } = await find({
      ...readCallConfig({}),
      workspaceId: 'workspace',
      callId: 'call',
      lineRate: 8_000,
    });
    const heard: string[] = [];
    const stream = stt.open({
      language: 'en-US',
      onResult: ({ text }) => heard.push(text),
      onError: ({ kind }) => heard.push(kind),
    });
    stream.push(new Int16Array(stt.sampleRate).fill(6_000));
    await stream.flush();
    stream.close();
    await double.close();
    expect(heard).toEqual(['hello there']);
  });

  it('says what is missing if nobody recognizes [calls.20]', async () => {
    await expect(earsOf([{ ...OPENAI, uses: ['voice'] }])).rejects.toThrow('SPEECH_PROVIDERS can recognize');
    await expect(earsOf([{ ...DEEPGRAM, uses: ['transcriber'] }])).rejects.toThrow(
      'SPEECH_PROVIDERS can speak',
    );
  });
});

it('each failure of a provider is logged with the id of the call', async () => {
  const logged: { msg: string; callId?: string }[] = [];
  const destination = { write: (line: string) => void logged.push(JSON.parse(line)) };
  const warnings = createLogger({ service: 'telephony', level: 'warn', destination });
  const settings = settingsOf([OPENAI]);
  const choice = { ...readCallConfig({}), workspaceId: 'workspace', lineRate: 8_000 };
  const say = async ({ tts }: { tts: TextToSpeech }): Promise<void> => {
    const options = { language: 'en-US', signal: AbortSignal.timeout(10_000) };
    for await (const _ of tts.speak(sentence(), options));
  };
  const hear = async (stt: SpeechToText | undefined): Promise<void> => {
    const stream = stt?.open({ language: 'en-US', onResult: () => {}, onError: () => {} });
    stream?.push(new Int16Array(stt?.sampleRate ?? 0).fill(6_000));
    await stream?.flush();
    stream?.close();
  };

  const findSpeech = await createFindSpeech(settings, warnings);
  await expect(say(await findSpeech({ ...choice, callId: 'spoken' }))).rejects.toThrow();
  await hear((await findSpeech({ ...choice, callId: 'heard' })).stt);
  const findVoice = await createFindVoice(settings, warnings);
  await expect(say(await findVoice({ ...choice, callId: 'apology' }))).rejects.toThrow();
  const findHearing = await createFindHearing(settings, warnings);
  await hear(await findHearing({ ...choice, callId: 'recording' }));

  expect(new Set(logged.map(({ msg }) => msg))).toEqual(new Set(['a provider of speech failed']));
  expect(new Set(logged.map(({ callId }) => callId))).toEqual(
    new Set(['spoken', 'heard', 'apology', 'recording']),
  );
});

async function* sentence() {
  yield 'Hello.';
}
