import { randomBytes, randomInt } from 'node:crypto';
import { type Client, ParleyError } from '@parley/client';
import type { assistant } from '@parley/contracts';
import type { Releases, Steps } from '@parley/devstack';
import type { z } from 'zod';
import { demoAssistant, demoTool, TOOL_NAME } from './assistant.ts';
import { randomPrefix } from './contacts.ts';
import type { Pace } from './pace.ts';
import { type Receiver, startReceiver } from './receiver.ts';

type Assistant = z.output<typeof assistant>;

type Input = {
  client: Client;
  stopping: AbortSignal;
  pace: Pace;
  step: Steps['step'];
  releases: Releases;
  secret: string;
};
type Setting = { receiver: Receiver; assistant: Assistant; fromNumber: string };

/** The prerequisites of a call: a webhook receiver, an assistant with a tool, a number. Each run creates its own. */
export async function setUp({ client, stopping, pace, step, releases, secret }: Input): Promise<Setting> {
  const receiver = await step('Receiver', async (hint) => {
    const started = await startReceiver(secret);
    await releases.add(started.close);
    hint(`${new URL(started.webhookUrl).origin} receives webhooks and tool requests`);
    return started;
  });
  const made = await step('Assistant', async (hint) => {
    const one = await makeAssistant(client, receiver, pace, stopping);
    hint(`${one.agent_name}, with a webhook URL and the tool ${TOOL_NAME}`);
    return one;
  });
  const fromNumber = await step('Number', async (hint) => {
    const number = await connectNumber(client, made.id, pace.callsPerSecond, stopping);
    hint(`${number}, ${pace.callsPerSecond} calls per second`);
    return number;
  });
  return { receiver, assistant: made, fromNumber };
}

/** An assistant whose webhooks and tool requests go to the receiver. */
async function makeAssistant(
  client: Client,
  receiver: Receiver,
  pace: Pace,
  signal: AbortSignal,
): Promise<Assistant> {
  const made = await client.assistants.create(demoAssistant(receiver.webhookUrl, pace), { signal });
  await client.tools.createCustom(demoTool(made.id, receiver.toolUrl), { signal });
  return made;
}

const TRIES = 20;

/** Connects an unused number of 555-01xx. The simulated carrier accepts any account [numbers.2]. */
async function connectNumber(
  client: Client,
  agentId: string,
  maxCps: number,
  signal: AbortSignal,
): Promise<string> {
  for (let left = TRIES; ; left -= 1) {
    // Called numbers are in the first half.
    const phoneNumber = `${randomPrefix()}01${randomInt(50, 100)}`;
    try {
      const body = {
        phone_number: phoneNumber,
        telco_account_sid: `AC${randomBytes(16).toString('hex')}`,
        telco_auth_token: randomBytes(16).toString('hex'),
        nickname: 'Workshop',
        outbound_agent_id: agentId,
        max_cps: maxCps,
      };
      return (await client.phoneNumbers.importTelco(body, { signal })).phone_number;
    } catch (error) {
      const taken = error instanceof ParleyError && error.code === 'CONFLICT';
      if (!taken || left <= 1) throw error;
    }
  }
}
