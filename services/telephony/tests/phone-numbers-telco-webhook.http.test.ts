import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { anyNumber, type Harness, newWorkspace, startHarness } from './harness.ts';

const SID = `AC${'0123456789abcdef'.repeat(2)}`;

let harness: Harness;
const workspace = newWorkspace();

beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.close());

const point = (id: string, of = workspace) => harness.ask(of, 'POST', `/v1/phone-number/${id}/telco-webhook`);

async function imported() {
  const body = { phone_number: anyNumber(), telco_account_sid: SID, telco_auth_token: 'secret-token' };
  return (await harness.ask(workspace, 'POST', '/v1/phone-number/telco', { body })).body.data;
}

/** The status of the carrier account changes after the import. */
async function changeToken(id: string, auth_token: string): Promise<void> {
  const { secrets } = harness.context;
  const sealed = secrets.seal(
    JSON.stringify({ account_sid: SID, auth_token }),
    `phone_numbers:secrets:${id}`,
  );
  await harness.sql.$executeRaw`UPDATE phone_numbers SET secrets = ${sealed} WHERE id = ${id}::uuid`;
}

const routes = (number: string) =>
  harness.sql.$queryRaw<unknown[]>`SELECT 1 FROM simulated_number_routes WHERE phone_number = ${number}`;

describe('POST /v1/phone-number/{id}/telco-webhook', () => {
  it('[numbers.9] answers with the number, and may be repeated', async () => {
    const number = await imported();
    expect(await routes(number.phone_number)).toHaveLength(0);
    for (let i = 0; i < 3; i += 1) {
      const { status, body } = await point(number.id);
      expect(status).toBe(200);
      expect(body).toEqual({ success: true, data: number });
    }
    expect(await routes(number.phone_number)).toHaveLength(1);
  });

  it('is 422 on a SIP number', async () => {
    const sip = { phone_number: anyNumber(), termination_uri: 'sip.example.com' };
    const { id } = (await harness.ask(workspace, 'POST', '/v1/phone-number/sip', { body: sip })).body.data;
    const { status, body } = await point(id);
    expect(status).toBe(422);
    expect(body.error).toMatchObject({
      code: 'VALIDATION_FAILED',
      details: [{ path: 'id', code: 'not_allowed' }],
    });
    expect(body.error.message).toContain('id');
  });

  it('is 422 when the carrier now refuses the credentials, and 502 CARRIER_ERROR when it does not respond', async () => {
    const number = await imported();
    await changeToken(number.id, '0'.repeat(32));
    expect((await point(number.id)).status).toBe(422);
    await changeToken(number.id, 'f'.repeat(32));
    const { status, body } = await point(number.id);
    expect(status).toBe(502);
    expect(body.error.code).toBe('CARRIER_ERROR');
    expect(await routes(number.phone_number)).toHaveLength(0);
  });

  it("is 404 for another workspace's number, and 422 for a malformed id", async () => {
    const { id } = await imported();
    expect((await point(id, newWorkspace())).status).toBe(404);
    expect((await point(randomUUID())).status).toBe(404);
    expect((await point('12')).status).toBe(422);
  });
});
