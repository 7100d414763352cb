import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';
import { findings, type Harness, type Json, newWorkspace, startHarness } from './harness.ts';

describe('where the operator configured speech providers', () => {
  let service: Harness;
  const workspace = newWorkspace();

  beforeAll(async () => {
    const own = [{ voice_id: 'our-clone', gender: 'female', language: 'de-DE' }];
    service = await startHarness({
      SPEECH_PROVIDERS: JSON.stringify([
        { name: 'deepgram', type: 'deepgram', api_key: 'k' },
        { name: 'elevenlabs', type: 'elevenlabs', api_key: 'k', uses: ['voice'], voices: own },
      ]),
      LIVE_MODELS: JSON.stringify([
        { name: 'gemini', type: 'gemini-live', api_key: 'k', voices: ['Puck', 'our-clone'] },
      ]),
    });
  });
  afterAll(() => service.close());

  const createWith = (config: Json) =>
    service.post(workspace, '/v1/assistant', { agent_name: 'Ada', config });

  it("GET /v1/voice lists the voices of those providers, and the operator's own instead of the standard ones [assistants.18]", async () => {
    const { body } = await service.get(workspace, '/v1/voice');
    expect(new Set(body.data.map(({ provider }: Json) => provider))).toEqual(
      new Set(['deepgram', 'elevenlabs', 'gemini']),
    );
    expect(body.data.filter(({ provider }: Json) => provider === 'elevenlabs')).toEqual([
      {
        voice_id: 'our-clone',
        voice_name: 'our-clone',
        provider: 'elevenlabs',
        gender: 'female',
        language: 'de-DE',
        preview_url: null,
        available: false,
      },
    ]);
  });

  it('GET /v1/voice tells which voices calls can be spoken with now [assistants.18]', async () => {
    service.telephony.speech = [
      { name: 'deepgram', speaks: true, recognises: true },
      { name: 'elevenlabs', speaks: false, recognises: false },
      { name: 'gemini', speaks: true, recognises: false },
    ];
    const availableOf = async (): Promise<Json> => {
      const { body } = await service.get(workspace, '/v1/voice');
      return new Map(body.data.map(({ provider, available }: Json) => [provider, available]));
    };
    await eventually(
      async () =>
        expect(await availableOf()).toEqual(
          new Map([
            ['deepgram', true],
            ['elevenlabs', false],
            ['gemini', true],
          ]),
        ),
      { timeoutMs: 30_000 },
    );
  });

  it('a voice in a language that its provider cannot speak now is not available [assistants.18]', async () => {
    const ofClone = async (languages: string[]): Promise<void> => {
      service.telephony.speech = [
        { name: 'deepgram', speaks: true, recognises: true },
        { name: 'elevenlabs', speaks: true, recognises: false, languages },
      ];
      const read = async (): Promise<boolean> => {
        const { body } = await service.get(workspace, '/v1/voice');
        return body.data.find(({ provider }: Json) => provider === 'elevenlabs').available;
      };
      await eventually(async () => expect(await read()).toBe(languages.includes('de')), {
        timeoutMs: 30_000,
      });
    };
    await ofClone(['en', 'de']);
    await ofClone(['en']);
  });

  it('GET /v1/transcriber and GET /v1/model list those providers as well [assistants.24]', async () => {
    const { body } = await service.get(workspace, '/v1/transcriber');
    expect(body.data).toEqual([{ provider: 'deepgram', available: true }]);
    const models = await service.get(workspace, '/v1/model');
    expect(models.body.data).toContainEqual({ provider: 'gemini', is_live: true, names: [] });
  });

  it('the first of their voices is the default [assistants.20]', async () => {
    const { status, body } = await createWith({});
    expect(status).toBe(201);
    expect(body.data.config.voice).toEqual({ voiceId: 'aura-2-thalia-en', speed: 1 });
  });

  it('voice.provider is optional, and must have the voice [assistants.20]', async () => {
    const chosen = { provider: 'deepgram', voiceId: 'aura-2-apollo-en' };
    const { status, body } = await createWith({ voice: chosen });
    expect(status).toBe(201);
    expect(body.data.config.voice).toEqual({ ...chosen, speed: 1 });
    const other = await createWith({ voice: { ...chosen, provider: 'elevenlabs' } });
    expect(findings(other)).toEqual(['config.voice.voiceId not_allowed']);
    expect(other.body.error.message).toContain('our-clone');
  });

  it('a provider that is not configured is 422 and names the field [assistants.20] [assistants.21]', async () => {
    const answer = await createWith({ voice: { provider: 'cartesia' }, transcriber: { provider: 'openai' } });
    expect(findings(answer)).toEqual([
      'config.voice.provider not_allowed',
      'config.transcriber.provider not_allowed',
    ]);
    expect(answer.body.error.message).toContain('deepgram, elevenlabs');
    expect(findings(await createWith({ voice: { voiceId: 'aria' } }))).toEqual([
      'config.voice.voiceId not_allowed',
    ]);
  });

  it('a voice of one language requires assistants of that language [assistants.20]', async () => {
    const voice = { voiceId: 'our-clone' };
    expect(findings(await createWith({ voice }))).toEqual(['config.language not_allowed']);
    expect((await createWith({ voice, language: 'de-AT' })).status).toBe(201);
  });

  it('a live model is chosen by its name, with a voice of its own or its default one [assistants.23]', async () => {
    const model = { provider: 'gemini', name: 'gemini-3.8-live' };
    const { status, body } = await createWith({ model, voice: { voiceId: 'Puck' } });
    expect(status).toBe(201);
    expect(body.data.config.model).toMatchObject(model);
    expect((await createWith({ model, voice: { provider: 'gemini', voiceId: 'our-clone' } })).status).toBe(
      201,
    );
    // Its default voice instead of Deepgram's, which speaks only English.
    expect((await createWith({ model, language: 'de-DE' })).status).toBe(201);
    const missing = await createWith({ model: { provider: 'realtime' } });
    expect(findings(missing)).toEqual(['config.model.provider not_allowed']);
    expect(missing.body.error.message).toContain('gemini');
    const others = await createWith({ voice: { voiceId: 'Puck' } });
    expect(findings(others)).toEqual(['config.voice.voiceId not_allowed']);
    expect(others.body.error.message).toContain('config.model.provider');
  });

  it('the keys of transcriber are kept; by default it has no keywords [assistants.21]', async () => {
    const given = { provider: 'deepgram', model: 'nova-3', language: 'de', keywords: ['Parley'], mine: 1 };
    const { status, body } = await createWith({ transcriber: given });
    expect(status).toBe(201);
    expect(body.data.config.transcriber).toEqual(given);
    const { id } = body.data;
    const patch = (transcriber: Json) =>
      service.ask(workspace, 'PATCH', `/v1/assistant/${id}`, { body: { config: { transcriber } } });
    const without = await patch({ provider: null, model: null, keywords: null });
    expect(without.body.data.config.transcriber).toEqual({ language: 'de', keywords: [], mine: 1 });
    const none = await patch(null);
    expect(none.body.data.config.transcriber).toEqual({ keywords: [] });
    expect(findings(await patch({ language: 'x y' }))).toEqual([
      'config.transcriber.language invalid_format',
    ]);
  });
});
