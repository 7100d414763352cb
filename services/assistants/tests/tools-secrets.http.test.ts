import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { raw } from '@parley/kit/db';
import { createLogger } from '@parley/kit/log';
import { eventually } from '@parley/testkit';
import {
  customTool,
  type Harness,
  type HttpAnswer,
  type Json,
  newWorkspace,
  startHarness,
} from './harness.ts';

/** Part of every secret in this file, and of nothing else. */
const CANARY = 'canary-7f3a9d';

let service: Harness;
const workspace = newWorkspace();
const logged: string[] = [];
const answers: HttpAnswer[] = [];

beforeAll(async () => {
  const destination = { write: (line: string) => void logged.push(line) };
  const log = createLogger({ service: 'assistants', level: 'trace', destination });
  service = await startHarness({}, log);
});
afterAll(() => service.close());

const ask = async (method: string, path: string, body?: unknown): Promise<Json> => {
  const answer = await service.ask(workspace, method, path, { body });
  answers.push(answer);
  return answer.body?.data;
};

/** Everything that a client can do with secrets, valid and invalid. */
async function useSecrets(): Promise<void> {
  const { id: agent_id } = await ask('POST', '/v1/assistant', { agent_name: 'Ada' });
  const headers = { 'X-Key': CANARY, Authorization: `Bearer ${CANARY}` };
  const custom = { ...customTool(agent_id), headers };
  const { id } = await ask('POST', '/v1/tool/custom', custom);
  await ask('POST', '/v1/tool/custom', custom);
  await ask('POST', '/v1/tool/custom', { ...custom, tool_name: 'bad', headers: { 'X-Key': `${CANARY}\n` } });
  await ask('POST', '/v1/tool/custom', `{"headers":{"X-Key":"${CANARY}"`);
  await ask('PUT', `/v1/tool/custom/${id}`, { headers: { 'X-Key': '********', 'X-New': CANARY } });
  await ask('PUT', `/v1/tool/custom/${id}`, { headers: { 'X-Gone': '********', 'X-New': CANARY } });
  const telco = { telco_account_sid: `AC-${CANARY}`, telco_auth_token: CANARY };
  const native = { agent_id, tool_name: 'send_sms' };
  await ask('POST', '/v1/tool/native', { ...native, telco_auth_token: CANARY });
  const sms = await ask('POST', '/v1/tool/native', { ...native, ...telco });
  await ask('POST', '/v1/tool/native', { ...native, ...telco });
  await ask('PUT', `/v1/tool/native/${sms.id}`, { ...telco, telco_account_sid: null });
  await ask('PUT', `/v1/tool/native/${sms.id}`, { telco_auth_token: `${CANARY}-2` });
  await ask('GET', `/v1/tool/${id}`);
  await ask('POST', '/v1/tool/list', { agent_id });
  await ask('GET', `/v1/assistant/${agent_id}`);
  // Sealed text of another row, which is a server error: logged, and a 500.
  await service.sql
    .$executeRaw`UPDATE tools SET headers = (SELECT telco_credentials FROM tools WHERE id = ${sms.id}::uuid) WHERE id = ${id}::uuid`;
  await ask('PUT', `/v1/tool/custom/${id}`, { headers: { 'X-Key': '********' } });
  await ask('DELETE', `/v1/tool/${id}`);
  await ask('DELETE', `/v1/tool/${sms.id}`);
}

describe('saved tool headers and carrier credentials', () => {
  it('are never returned, logged or sent to other services, and are stored sealed', async () => {
    await useSecrets();
    expect(answers.map(({ status }) => status)).toEqual([
      201, 201, 409, 422, 422, 200, 422, 422, 201, 409, 422, 200, 200, 200, 200, 500, 204, 204,
    ]);
    expect(containsSecret(answers.map(({ text, headers }) => text + JSON.stringify([...headers])))).toBe(
      false,
    );

    await eventually(() =>
      expect(service.bus.received('assistant.updated').length).toBeGreaterThanOrEqual(7),
    );
    expect(containsSecret(service.bus.received('assistant.updated'))).toBe(false);

    await eventually(() => {
      const actions = service.bus.received('audit.recorded').map(({ data }) => data.action);
      expect(actions).toEqual([
        ...['tool.created', 'tool.updated', 'tool.created', 'tool.updated'],
        ...['tool.deleted', 'tool.deleted'],
      ]);
    });
    const [, replaced, , renewed] = service.bus.received('audit.recorded');
    const mask = '********';
    expect(replaced?.data.changes).toEqual({
      headers: { from: { 'X-Key': mask, Authorization: mask }, to: { 'X-Key': mask, 'X-New': mask } },
    });
    expect(renewed?.data.changes).toEqual({ telco_credentials: { to: mask } });
    expect(containsSecret(service.bus.received('audit.recorded'))).toBe(false);

    // The log is not empty: one line per request, and the error.
    expect(logged.filter((line) => line.includes('/v1/tool')).length).toBeGreaterThanOrEqual(
      answers.length - 2,
    );
    expect(logged.join()).toContain('could not be opened');
    expect(containsSecret(logged)).toBe(false);

    const { id } = await service.addAssistant(workspace);
    await service.addTool(workspace, id, { headers: { 'X-Key': CANARY } });
    expect(containsSecret(await everythingStored())).toBe(false);
  });
});

function containsSecret(what: unknown): boolean {
  return JSON.stringify(what).includes(CANARY);
}

async function everythingStored(): Promise<Json[]> {
  const tables = ['assistants', 'tools', 'outbox', 'inbox', 'idempotency_keys'];
  const rows = await Promise.all(
    tables.map(
      (table) => service.sql.$queryRaw<Json[]>`SELECT row_to_json(t)::text AS row FROM ${raw(table)} t`,
    ),
  );
  expect(rows[1]).not.toEqual([]);
  return rows;
}
