import { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger } from '@parley/kit/log';
import { eventually } from '@parley/testkit';
import { anyNumber, type Harness, newWorkspace, startHarness } from './harness.ts';

const CANARY = 'canary-7f3a';
const SID = `AC${'7f3a7f3a7f3a7f3a'.repeat(2)}`;
const LEAK = new RegExp(`${CANARY}|${SID}`);

let harness: Harness;
let logged = '';
const workspace = newWorkspace();

beforeAll(async () => {
  const destination = new Writable({
    write: (chunk, _, done) => {
      logged += String(chunk);
      done();
    },
  });
  harness = await startHarness({}, createLogger({ service: 'test', level: 'trace', destination }));
});
afterAll(() => harness.close());

const ask = (method: string, path: string, body?: object) =>
  harness.ask(workspace, method, path, body ? { body } : {});

/** Everything that is visible to a client, an operator, another service or in a database dump. */
async function seen(answers: { text: string }[]): Promise<string> {
  await eventually(() => expect(harness.bus.received('phone-number.deleted').length).toBeGreaterThan(0));
  const messages = [
    ...harness.bus.received('phone-number.updated'),
    ...harness.bus.received('phone-number.deleted'),
    ...harness.bus.received('audit.recorded'),
  ];
  const rows = await harness.sql.$queryRaw<unknown[]>`SELECT * FROM phone_numbers`;
  const keys = await harness.sql.$queryRaw<unknown[]>`SELECT * FROM idempotency_keys`;
  return JSON.stringify({ answers: answers.map(({ text }) => text), messages, rows, keys });
}

describe('[numbers.6] carrier secrets are write-only', () => {
  it('the carrier account and the SIP trunk appear in no response, message, log line or unsealed column', async () => {
    const trunk = {
      termination_uri: `${CANARY}-trunk.example.com`,
      sip_trunk_auth_username: `${CANARY}-user`,
      sip_trunk_auth_password: `${CANARY}-password`,
    };
    const account = { telco_account_sid: SID, telco_auth_token: `${CANARY}-token` };
    const sip = await ask('POST', '/v1/phone-number/sip', { phone_number: anyNumber(), ...trunk });
    const telco = await ask('POST', '/v1/phone-number/telco', { phone_number: anyNumber(), ...account });
    const { id } = telco.body.data;
    const answers = [
      sip,
      telco,
      await ask('GET', `/v1/phone-number/${sip.body.data.id}`),
      await ask('POST', '/v1/phone-number/list', {}),
      await ask('PUT', `/v1/phone-number/${id}`, { max_cps: 2, ...account }),
      await ask('POST', `/v1/phone-number/${id}/telco-webhook`),
      // Error messages do not contain the rejected value.
      await ask('POST', '/v1/phone-number/sip', { phone_number: 'x', ...trunk }),
      await ask('POST', '/v1/phone-number/sip', { phone_number: anyNumber(), ...trunk, transport: 'x' }),
      await ask('POST', '/v1/phone-number/telco', {
        phone_number: anyNumber(),
        telco_account_sid: `${CANARY}-sid`,
        telco_auth_token: 'x',
      }),
      await ask('DELETE', `/v1/phone-number/${id}`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 200, 200, 200, 200, 422, 422, 422, 204]);
    expect(await seen(answers)).not.toMatch(LEAK);
    expect(logged).toContain('/v1/phone-number');
    expect(logged).not.toMatch(LEAK);
  });
});
