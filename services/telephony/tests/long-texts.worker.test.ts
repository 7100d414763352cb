import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';
import { callIn, inboundNumber, timelineOf } from './call-in.ts';
import { anyNumber, type Harness, newWorkspace, startHarness } from './harness.ts';
import { callFrom, connectNumber, FAST, finished } from './place-call.ts';

/** 20,000 times 16 KB: 320 MB as a prompt, and more than a string holds as four. */
const systemPrompt = '{{a}}'.repeat(20_000);
const dynamic_variables = { a: 'x'.repeat(16_000) };
const config = { systemPrompt };

let harness: Harness;

beforeAll(async () => {
  harness = await startHarness({ ...FAST, CLOCK_RATE: '10' });
});
afterAll(() => harness.close());

const endOf = async (workspaceId: string, id: string) => {
  const call = await finished(harness, workspaceId, id);
  const ended = (await timelineOf(harness, workspaceId, id)).find(({ type }) => type === 'ended');
  return { reason: call.disconnection_reason, answered: call.answered_at, cause: ended?.cause };
};
const TOO_LONG = { reason: 'error', answered: null, cause: 'texts_too_long' };

describe('an assistant whose texts become too long [trust.29]', () => {
  it('is not dialed, and delays no other dial', async () => {
    const number = await connectNumber(harness);
    const other = await connectNumber(harness);
    number.agent.config = { ...number.agent.config, ...config };
    const attacks = await Promise.all(
      [1, 2, 3].map(() => callFrom(harness, number, anyNumber('4321'), { dynamic_variables })),
    );
    const call_id = randomUUID();
    await harness.bus.publish('dial.requested', number.workspaceId, {
      ...{ call_id, campaign_id: randomUUID(), contact_id: randomUUID(), generation: 1, dynamic_variables },
      agent_id: number.agent.agent_id,
      phone_number_id: number.id,
      to_number: anyNumber('4321'),
    });
    const bystander = await callFrom(harness, other, anyNumber('0002'));
    expect(await finished(harness, other.workspaceId, bystander)).toMatchObject({
      disconnection_reason: 'dial_busy',
    });
    for (const id of attacks) expect(await endOf(number.workspaceId, id)).toEqual(TOO_LONG);
    await eventually(() => {
      const refused = harness.bus.received('dial.refused').find(({ data }) => data.call_id === call_id);
      expect(refused?.data.reason).toBe('agent_unavailable');
    });
  });

  it('answers no call', async () => {
    const agent = { config: { systemPrompt: '{{from}}'.repeat(30_000) } };
    const number = await inboundNumber(harness, { agent });
    const workspaceId = newWorkspace();
    const { agent_id } = harness.peers.addAgent(workspaceId, { config });
    const web = { agent_id, dynamic_variables };
    const { body } = await harness.ask(workspaceId, 'POST', '/v2/call/web', { body: web });
    const headers = { 'x-access-token': body.data.access_token };
    await harness.ask('', 'POST', '/widget/session/join', { token: false, headers });
    expect(await endOf(workspaceId, body.data.id)).toEqual(TOO_LONG);
    // Without the variable its texts are short.
    const id = await callIn(harness, number, { script: ['Hi.'] });
    expect((await finished(harness, number.workspaceId, id)).answered_at).not.toBeNull();
  });
});
