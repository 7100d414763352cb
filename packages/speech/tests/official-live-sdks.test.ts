import { connect, type NetConnectOpts } from 'node:net';
import {
  ActivityHandling,
  Behavior,
  FunctionResponseScheduling,
  GoogleGenAI,
  type LiveServerMessage,
  Modality,
} from '@google/genai';
import { afterEach, describe, expect, it } from '@jest/globals';
import { tone } from '@parley/media/testing';
import OpenAI from 'openai';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import type { RealtimeServerEvent } from 'openai/resources/realtime/realtime';
import { setupOf } from '../src/live/gemini-live.ts';
import { bytesOf } from '../src/providers/pcm.ts';
import { createGeminiLiveDouble, createOpenAiRealtimeDouble, type LiveDouble } from '../src/testing/index.ts';

const WORDS = 'a cup of tea';

/** The doubles are right as far as the providers' own clients understand them. */
describe('the official SDK of a live model', () => {
  let double: LiveDouble | undefined;
  afterEach(() => double?.close());

  const until = async (condition: () => boolean): Promise<void> => {
    for (let i = 0; i < 4_000 && !condition(); i += 1) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(condition()).toBe(true);
  };
  const speech = (rate: number): Buffer[] => [
    bytesOf(tone(300, 300, rate)),
    ...Array.from({ length: 10 }, () => bytesOf(new Int16Array(rate / 20))),
  ];

  it('of Gemini talks, uses tools and resumes; our first message is what it sends', async () => {
    double = await createGeminiLiveDouble();
    double.hears(WORDS);
    double.moves((cause) => ('heard' in cause ? [{ tool: 'order', args: { tea: 1 } }] : [{ say: 'Done.' }]));
    const ai = new GoogleGenAI({ apiKey: double.key, httpOptions: { baseUrl: double.url } });
    const messages: LiveServerMessage[] = [];
    const tool = { name: 'order', description: 'Orders', behavior: Behavior.NON_BLOCKING };
    const session = await ai.live.connect({
      model: 'gemini-3.8-live',
      config: {
        responseModalities: [Modality.AUDIO],
        temperature: 0.3,
        speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Puck' } } },
        systemInstruction: { parts: [{ text: 'You sell tea.' }] },
        tools: [{ functionDeclarations: [tool] }],
        realtimeInputConfig: {
          automaticActivityDetection: { silenceDurationMs: 700 },
          activityHandling: ActivityHandling.NO_INTERRUPTION,
        },
        inputAudioTranscription: {},
        outputAudioTranscription: {},
        contextWindowCompression: { slidingWindow: {} },
        sessionResumption: { handle: undefined as never },
      },
      callbacks: { onmessage: (message) => void messages.push(message) },
    });
    const ours = setupOf(
      {
        instructions: 'You sell tea.',
        voiceId: 'Puck',
        temperature: 0.3,
        language: 'en-US',
        tools: [{ ...tool, behavior: 'non_blocking', scheduling: 'silent', parameters: null }],
        silenceMs: 700,
        isInterruptible: false,
        handle: null,
        history: [],
      },
      {},
    );
    expect(JSON.parse(JSON.stringify(ours))).toEqual(double.received[0]?.[0]);
    for (const audio of speech(16_000))
      session.sendRealtimeInput({
        audio: { data: audio.toString('base64'), mimeType: 'audio/pcm;rate=16000' },
      });
    await until(() => messages.some(({ toolCall }) => toolCall));
    const heard = messages.flatMap(({ serverContent }) => serverContent?.inputTranscription?.text ?? []);
    expect(heard.join('')).toBe(WORDS);
    const [call] = messages.flatMap(({ toolCall }) => toolCall?.functionCalls ?? []);
    session.sendToolResponse({
      functionResponses: [
        {
          id: call?.id as string,
          name: 'order',
          response: { output: 1 },
          scheduling: FunctionResponseScheduling.WHEN_IDLE,
        },
      ],
    });
    await until(() => messages.some(({ sessionResumptionUpdate }) => sessionResumptionUpdate?.newHandle));
    const audio = messages.flatMap(({ serverContent }) =>
      (serverContent?.modelTurn?.parts ?? []).flatMap(({ inlineData }) => inlineData?.data ?? []),
    );
    expect(Buffer.concat(audio.map((data) => Buffer.from(data, 'base64')))).toHaveLength(
      'Done.'.length * 960,
    );
    session.close();
  });

  it('of OpenAI talks, uses tools and truncates', async () => {
    double = await createOpenAiRealtimeDouble();
    double.hears(WORDS);
    double.moves((cause) => ('heard' in cause ? [{ tool: 'order', args: { tea: 1 } }] : [{ say: 'Done.' }]));
    const { port } = new URL(double.url);
    const client = new OpenAI({ apiKey: double.key, baseURL: `${double.url}/v1` });
    // The SDK insists on TLS.
    const createConnection = (_: NetConnectOpts) => connect(Number(port), '127.0.0.1');
    const realtime = new OpenAIRealtimeWS(
      { model: 'gpt-realtime', options: { createConnection } as never },
      client,
    );
    const events: RealtimeServerEvent[] = [];
    realtime.on('event', (event) => void events.push(event));
    await until(() => events.some(({ type }) => type === 'session.created'));
    for (const audio of speech(24_000))
      realtime.send({ type: 'input_audio_buffer.append', audio: audio.toString('base64') });
    const found = <T extends RealtimeServerEvent['type']>(type: T) =>
      events.find((event): event is Extract<RealtimeServerEvent, { type: T }> => event.type === type);
    await until(() => found('conversation.item.input_audio_transcription.completed') !== undefined);
    expect(found('conversation.item.input_audio_transcription.completed')?.transcript).toBe(WORDS);
    const call = found('response.output_item.done')?.item as { call_id: string; name: string };
    expect(call.name).toBe('order');
    const item = { type: 'function_call_output', call_id: call.call_id, output: '1' } as const;
    realtime.send({ type: 'conversation.item.create', item });
    realtime.send({ type: 'response.create' });
    await until(() => found('response.output_audio.delta') !== undefined);
    const answer = found('response.output_audio.delta');
    const item_id = answer?.item_id ?? '';
    realtime.send({ type: 'conversation.item.truncate', item_id, content_index: 0, audio_end_ms: 40 });
    await until(() => found('conversation.item.truncated') !== undefined);
    realtime.close();
  });
});
