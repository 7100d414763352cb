import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findings, type Harness, type Json, newWorkspace, startHarness } from './harness.ts';

describe('model.provider where the operator configured another one [assistants.10]', () => {
  let service: Harness;
  const workspace = newWorkspace();

  beforeAll(async () => {
    service = await startHarness({ MODEL_PROVIDERS: 'builtin, openai' });
  });
  afterAll(() => service.close());

  const createWith = (provider: string) =>
    service.post(workspace, '/v1/assistant', {
      agent_name: 'Ada',
      config: { model: { provider, name: 'tea-1', temperature: 1 } },
    });

  it('is accepted', async () => {
    const { status, body } = await createWith('openai');
    expect(status).toBe(201);
    expect(body.data.config.model).toEqual({ provider: 'openai', name: 'tea-1', temperature: 1 });
    expect((await createWith('builtin')).status).toBe(201);
  });

  it('rejects other providers with a message that lists the configured ones', async () => {
    const answer = await createWith('somebody');
    expect(findings(answer)).toEqual(['config.model.provider not_allowed']);
    expect(answer.body.error.message).toContain('builtin, openai');
  });

  it('GET /v1/model lists what may be named, with the names that are known [assistants.24]', async () => {
    const { status, body } = await service.get(workspace, '/v1/model');
    expect(status).toBe(200);
    expect(body.data).toEqual([
      { provider: 'builtin', is_live: false, names: ['scripted-1', 'scripted-live-1'] },
      { provider: 'openai', is_live: false, names: [] },
    ]);
  });
});

describe('MODEL_PROVIDERS is about chat only: speech by OpenAI is there where telephony has it [running.12]', () => {
  const providersWith = async (env: Record<string, string>) => {
    const service = await startHarness(env);
    try {
      const workspace = newWorkspace();
      const read = async (path: string): Promise<string[]> => [
        ...new Set<string>(
          (await service.get(workspace, path)).body.data.map(({ provider }: Json) => provider),
        ),
      ];
      return {
        models: await read('/v1/model'),
        voices: await read('/v1/voice'),
        transcribers: await read('/v1/transcriber'),
      };
    } finally {
      await service.close();
    }
  };

  it('with a key', async () => {
    expect(await providersWith({ MODEL_PROVIDERS: 'builtin', OPENAI_API_KEY: 'set' })).toEqual({
      models: ['builtin'],
      voices: ['openai', 'builtin'],
      transcribers: ['openai', 'builtin'],
    });
  });

  it('without a key or an address', async () => {
    expect(await providersWith({ MODEL_PROVIDERS: 'builtin,openai' })).toEqual({
      models: ['builtin', 'openai'],
      voices: ['builtin'],
      transcribers: ['builtin'],
    });
  });
});
