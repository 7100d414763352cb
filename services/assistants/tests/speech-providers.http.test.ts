import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findings, type Harness, type Json, newWorkspace, startHarness } from './harness.ts';

describe('where the operator configured speech providers', () => {
  let service: Harness;
  const workspace = newWorkspace();

  beforeAll(async () => {
    const own = [{ voice_id: 'our-clone', provider: 'elevenlabs', gender: 'female', language: 'de-DE' }];
    service = await startHarness({
      VOICE_PROVIDERS: 'deepgram, elevenlabs',
      TRANSCRIBER_PROVIDERS: 'deepgram',
      VOICES: JSON.stringify(own),
    });
  });
  afterAll(() => service.close());

  const createWith = (config: Json) =>
    service.post(workspace, '/v1/assistant', { agent_name: 'Ada', config });

  it('GET /v1/voice lists the voices of those providers, and the own ones instead of the standard ones [assistants.18]', async () => {
    const { body } = await service.get(workspace, '/v1/voice');
    expect(new Set(body.data.map(({ provider }: Json) => provider))).toEqual(
      new Set(['deepgram', 'elevenlabs']),
    );
    expect(body.data.filter(({ provider }: Json) => provider === 'elevenlabs')).toEqual([
      {
        voice_id: 'our-clone',
        voice_name: 'our-clone',
        provider: 'elevenlabs',
        gender: 'female',
        language: 'de-DE',
      },
    ]);
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

  it('a voice of one language goes with assistants of that language [assistants.20]', async () => {
    const voice = { voiceId: 'our-clone' };
    expect(findings(await createWith({ voice }))).toEqual(['config.language not_allowed']);
    expect((await createWith({ voice, language: 'de-AT' })).status).toBe(201);
  });

  it('transcriber.provider is kept, and absent by default [assistants.21]', async () => {
    const { status, body } = await createWith({ transcriber: { provider: 'deepgram', mine: 1 } });
    expect(status).toBe(201);
    expect(body.data.config.transcriber).toEqual({ provider: 'deepgram', mine: 1 });
    const { id } = body.data;
    const patch = (transcriber: Json) =>
      service.ask(workspace, 'PATCH', `/v1/assistant/${id}`, { body: { config: { transcriber } } });
    const without = await patch({ provider: null });
    expect(without.body.data.config.transcriber).toEqual({ mine: 1 });
    const none = await patch(null);
    expect(none.body.data.config).not.toHaveProperty('transcriber');
  });
});
