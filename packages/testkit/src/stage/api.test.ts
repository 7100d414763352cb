import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Receiver, receiver } from '../receiver.ts';
import { type Api, createApi } from './api.ts';

const UNAVAILABLE = { status: 503, body: { error: { code: 'SERVICE_UNAVAILABLE' } } };
const UNDER_WAY = { status: 409, body: { error: { code: 'IDEMPOTENCY_IN_PROGRESS' } } };
const CREATED = { status: 201, body: { data: { id: '1' } } };

describe('the set-up of a test', () => {
  let server: Receiver;
  let api: Api;
  beforeEach(async () => {
    server = await receiver();
    api = createApi(server.url, 'key');
  });
  afterEach(() => server.close());

  it('creates something once, also if a service times out on a busy machine [general.20]', async () => {
    server.script('/v1/assistant', UNAVAILABLE, UNDER_WAY, CREATED);
    expect(await api.create('/v1/assistant', { agent_name: 'Ada' })).toEqual({ id: '1' });
    const keys = server.requests().map(({ headers }) => headers['idempotency-key']);
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
  });

  it.each([{ status: 409, body: { error: { code: 'CONFLICT' } } }, { status: 500 }])(
    'fails at once for any other answer: %j',
    async (answer) => {
      server.script('/v1/assistant', answer, CREATED);
      await expect(api.create('/v1/assistant', {})).rejects.toThrow(String(answer.status));
      expect(server.requests()).toHaveLength(1);
    },
  );

  it('is told of a 503 to a request that may not be repeated', async () => {
    server.script('/v1/assistant', UNAVAILABLE, CREATED);
    await expect(api.data('POST', '/v1/assistant', {})).rejects.toThrow('503');
    expect(server.requests()).toHaveLength(1);
  });
});
