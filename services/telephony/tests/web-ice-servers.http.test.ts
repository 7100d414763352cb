import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Harness, newWorkspace, startHarness } from './harness.ts';

const SECRET = 'a-long-random-secret';
const urls = ['turn:turn.example.com:3478'];
const WEB_ICE_SERVERS = JSON.stringify([{ urls, secret: SECRET }, { urls: 'stun:stun.example.com' }]);

let harness: Harness;

beforeAll(async () => {
  harness = await startHarness({ WEB_ICE_SERVERS });
});
afterAll(() => harness.close());

it('GET /widget/session answers with servers and a password that expires, once a worker carries audio [web-calls.7]', async () => {
  const workspace = newWorkspace();
  const { agent_id } = harness.peers.addAgent(workspace);
  const { body } = await harness.ask(workspace, 'POST', '/v2/call/web', { body: { agent_id } });
  const read = async () => {
    const headers = { 'x-access-token': body.data.access_token };
    return harness.ask('', 'GET', '/widget/session', { token: false, headers });
  };
  expect((await read()).body.data).toMatchObject({ audio: false, ice_servers: [] });
  await harness.sql.$executeRaw`INSERT INTO call_workers (id, expires_at, web_audio)
    VALUES (${randomUUID()}::uuid, clock_timestamp() + interval '1 hour', true)`;
  const answer = await read();
  const [turn, stun] = answer.body.data.ice_servers;
  const [expiry, callId] = turn.username.split(':');
  const seconds = Number(expiry) - Date.now() / 1_000;
  expect([seconds > 7_200, seconds < 8_000, callId]).toEqual([true, true, body.data.id]);
  const credential = createHmac('sha1', SECRET).update(turn.username).digest('base64');
  expect([turn, stun]).toEqual([
    { urls, username: turn.username, credential },
    { urls: ['stun:stun.example.com'] },
  ]);
  expect(answer.text).not.toContain(SECRET);
});
