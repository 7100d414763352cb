import { createRequire } from 'node:module';
import { connect, type NetConnectOpts } from 'node:net';
import type { Cartesia as CartesiaClient } from '@cartesia/cartesia-js';
import { DeepgramClient } from '@deepgram/sdk';
import { AudioFormat, ElevenLabsClient, RealtimeEvents } from '@elevenlabs/elevenlabs-js';
import { SpeechClient } from '@google-cloud/speech';
import { TextToSpeechClient } from '@google-cloud/text-to-speech';
import { afterEach, describe, expect, it } from '@jest/globals';
import OpenAI, { toFile } from 'openai';
import { bytesOf, wavOf } from '../src/providers/pcm.ts';
import {
  createCartesiaDouble,
  createDeepgramDouble,
  createElevenLabsDouble,
  createGoogleDouble,
  createOpenAiDouble,
  MS_PER_CHARACTER,
  type ProviderDouble,
} from '../src/testing/index.ts';
import { toneAt } from './providers.ts';

// Its ES modules look for `ws` by `require`, which they don't have.
const { Cartesia }: { Cartesia: typeof CartesiaClient } = createRequire(import.meta.url)(
  '@cartesia/cartesia-js',
);

/** The doubles are right as far as the providers' own clients understand them. */
describe('the official SDK', () => {
  let double: ProviderDouble | undefined;
  afterEach(() => double?.close());

  const TEXT = 'Good morning.';
  const WORDS = 'a table for two';
  const WAV_HEADER_BYTES = 44;
  const bytesAt = (rate: number): number => (TEXT.length * MS_PER_CHARACTER * rate * 2) / 1_000;
  const tone = (): Buffer => bytesOf(toneAt(16_000, 600));

  async function sizeOf(stream: AsyncIterable<Uint8Array>): Promise<number> {
    let size = 0;
    for await (const chunk of stream) size += chunk.length;
    return size;
  }

  it('of OpenAI speaks and recognizes', async () => {
    double = await createOpenAiDouble();
    double.hears(WORDS);
    const client = new OpenAI({ apiKey: double.key, baseURL: double.url });
    const speech = { model: 'tts-1', voice: 'alloy', input: TEXT, response_format: 'pcm' } as const;
    const { body } = await client.audio.speech.create(speech);
    expect(await sizeOf(body as unknown as AsyncIterable<Uint8Array>)).toBe(bytesAt(24_000));
    const file = await toFile(wavOf(tone(), 16_000), 'speech.wav');
    expect(await client.audio.transcriptions.create({ file, model: 'whisper-1' })).toEqual({ text: WORDS });
    await expect(
      new OpenAI({ apiKey: 'x', baseURL: double.url }).audio.speech.create(speech),
    ).rejects.toMatchObject({
      status: 401,
    });
  });

  it('of Deepgram speaks and recognizes', async () => {
    double = await createDeepgramDouble();
    double.hears(WORDS);
    const { url: base } = double;
    const socketUrl = base.replace('http', 'ws');
    const environment = { base, production: socketUrl, agent: socketUrl, agentRest: base };
    const client = new DeepgramClient({ apiKey: double.key, environment });
    const speech = await client.speak.v1.audio.generate({
      text: TEXT,
      model: 'aura-2-thalia-en',
      encoding: 'linear16',
      container: 'none',
      sample_rate: 16_000,
    });
    expect((await speech.arrayBuffer()).byteLength).toBe(bytesAt(16_000));

    const socket = await client.listen.v1.connect({
      model: 'nova-3',
      Authorization: `Token ${double.key}`,
      encoding: 'linear16',
      sample_rate: 16_000,
      reconnectAttempts: 0,
    });
    const final = new Promise<string | undefined>((resolve, reject) => {
      socket.on('error', reject);
      socket.on('message', (message) => {
        if (message.type === 'Results' && message.from_finalize)
          resolve(message.channel.alternatives[0]?.transcript);
      });
    });
    socket.connect();
    await socket.waitForOpen();
    socket.sendMedia(tone());
    socket.sendFinalize({ type: 'Finalize' });
    expect(await final).toBe(WORDS);
    socket.close();
  });

  it('of ElevenLabs speaks and recognizes', async () => {
    double = await createElevenLabsDouble();
    double.hears(WORDS);
    const client = new ElevenLabsClient({ apiKey: double.key, baseUrl: double.url });
    const outputFormat = 'pcm_24000';
    const speech = await client.textToSpeech.stream('JBFqnCBsd6RMkjVDRZzb', { text: TEXT, outputFormat });
    expect(await sizeOf(speech as unknown as AsyncIterable<Uint8Array>)).toBe(bytesAt(24_000));

    const connection = await client.speechToText.realtime.connect({
      modelId: 'scribe_v2_realtime',
      audioFormat: AudioFormat.PCM_16000,
      sampleRate: 16_000,
    });
    const final = new Promise<unknown>((resolve, reject) => {
      connection.on(RealtimeEvents.ERROR, reject);
      connection.on(RealtimeEvents.COMMITTED_TRANSCRIPT, resolve);
    });
    await new Promise<void>((resolve) => {
      connection.on(RealtimeEvents.SESSION_STARTED, () => resolve());
    });
    connection.send({ audioBase64: tone().toString('base64') });
    connection.commit();
    expect(await final).toMatchObject({ text: WORDS });
    connection.close();
  });

  it('of Google speaks and recognizes', async () => {
    double = await createGoogleDouble();
    double.hears(WORDS);
    const { hostname, port } = new URL(double.url);
    const account = {
      fallback: true,
      protocol: 'http',
      apiEndpoint: hostname,
      port: Number(port),
      apiKey: double.key,
      // Without it, the client looks for a metadata server of Google's cloud.
      projectId: 'none',
    };
    const speaking = new TextToSpeechClient(account);
    const [speech] = await speaking.synthesizeSpeech({
      input: { text: TEXT },
      voice: { languageCode: 'en-US' },
      audioConfig: { audioEncoding: 'LINEAR16', sampleRateHertz: 24_000 },
    });
    expect(speech.audioContent).toHaveLength(WAV_HEADER_BYTES + bytesAt(24_000));
    const hearing = new SpeechClient(account);
    const [{ results }] = await hearing.recognize({
      config: { encoding: 'LINEAR16', sampleRateHertz: 16_000, languageCode: 'en-US' },
      audio: { content: tone().toString('base64') },
    });
    expect(results?.map(({ alternatives }) => alternatives?.[0]?.transcript)).toEqual([WORDS]);
    await Promise.all([speaking.close(), hearing.close()]);
  });

  it('of Cartesia speaks and recognizes', async () => {
    double = await createCartesiaDouble();
    double.hears(WORDS);
    const client = new Cartesia({ apiKey: double.key, baseURL: double.url });
    const port = Number(new URL(double.url).port);
    // The SDK insists on TLS.
    const createConnection = (_: NetConnectOpts) => connect(port, '127.0.0.1');
    const socket = await client.tts
      .websocket({ createConnection } as never)
      .then((opened) => opened.connect());
    const context = socket.context({
      model_id: 'sonic-3',
      voice: { mode: 'id', id: 'f786b574-daa5-4673-aa0c-cbe3e8534c02' },
      output_format: { container: 'raw', encoding: 'pcm_s16le', sample_rate: 24_000 },
    });
    await context.push({ transcript: TEXT });
    await context.no_more_inputs();
    let size = 0;
    for await (const event of context.receive()) {
      if (event.type === 'chunk') size += event.audio?.length ?? 0;
    }
    expect(size).toBe(bytesAt(24_000));
    socket.close();

    const stt = client.stt.manualFinalize.websocket({
      model: 'ink-whisper',
      encoding: 'pcm_s16le',
      sample_rate: 16_000,
    });
    const final = new Promise<string>((resolve, reject) => {
      stt.on('error', reject);
      stt.on('transcript', ({ is_final, text }) => {
        if (is_final) resolve(text);
      });
    });
    stt.sendRaw(tone());
    stt.send('finalize');
    expect(await final).toBe(WORDS);
    stt.close();
  });
});
