import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { INTERNAL_TOKEN_HEADER } from '@parley/kit/http';
import { internalToken } from '@parley/testkit';
import { createHarness, type Harness, SECRET, soon, WORKSPACE } from './harness.ts';

let h: Harness;
beforeAll(async () => {
  const env = { IMPORT_CONNECTIONS: '1', UPLOAD_SPOOL_MB: '12' };
  h = await createHarness({ jobs: false, consumers: false, env });
});
afterAll(() => h.close());

const ONE = '{"phone_number":"+12025550001"}';
/** About 3.6 MB in the spool. */
const many = Array(40_000).fill(ONE).join(',');

/** A creation that has sent its first contacts and pauses until the test continues it. */
function begin(first: string) {
  const headers = {
    'content-type': 'application/json',
    [INTERNAL_TOKEN_HEADER]: internalToken(SECRET, 'campaigns', { workspaceId: WORKSPACE }),
  };
  const req = request(`${h.first.url}/v1/campaigns`, { method: 'POST', headers });
  req.on('error', () => {});
  const answer = new Promise<{ status: number; retryAfter: string | undefined; text: string }>((resolve) => {
    req.once('response', async (res) => {
      let text = '';
      for await (const chunk of res) text += chunk;
      resolve({ status: res.statusCode ?? 0, retryAfter: res.headers['retry-after'], text });
    });
  });
  const { agentId: agent_id, phoneNumber: phone_number } = h.furnish();
  const fields = JSON.stringify({ campaign_name: 'Slow', agent_id, phone_number }).slice(1);
  const sent = new Promise((resolve) => req.write(`{"contacts":[${first}`, resolve));
  return { req, sent, answer, finish: () => req.end(`],${fields}`) };
}

describe('uploads that trickle', () => {
  it('use no connection while they arrive: other campaigns are created meanwhile, and these afterwards [campaigns.2]', async () => {
    const slow = begin(many);
    await slow.sent;
    const id = await h.create({ contacts: h.contactsOf(12_000) });
    expect(await h.read(id)).toMatchObject({ total_contacts: 12_000 });
    slow.finish();
    const { status, text } = await slow.answer;
    expect(status).toBe(201);
    expect(JSON.parse(text)).toMatchObject({ data: { total_contacts: 40_000 } });
  });

  it('are refused with 429 and Retry-After while their workspace uses its half of the slots, which a finished upload releases [trust.1]', async () => {
    // Neither body has been read yet: either request may be the rejected one.
    const slow = [begin(many), begin(many)];
    const { status, retryAfter, text } = await Promise.race(slow.map(({ answer }) => answer));
    expect([status, retryAfter]).toEqual([429, '5']);
    expect(JSON.parse(text)).toMatchObject({ error: { code: 'RATE_LIMITED' } });
    for (const { req } of slow) req.destroy();
    await soon(async () => {
      const next = begin(many);
      next.finish();
      expect((await next.answer).status).toBe(201);
    });
  });
});
