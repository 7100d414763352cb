import { randomBytes, randomInt } from 'node:crypto';
import { type assistant, createAssistant, createCustomTool, importTelcoNumber } from '@parley/contracts';
import type { z } from 'zod';
import type { Releases } from '../processes/releases.ts';
import type { Steps } from '../terminal/steps.ts';
import { type Api, ApiProblem } from './api.ts';
import { demoAssistant, demoTool, TOOL_NAME } from './assistant.ts';
import { randomPrefix } from './contacts.ts';
import type { Pace } from './pace.ts';
import { type Receiver, startReceiver } from './receiver.ts';

export type Assistant = z.output<typeof assistant>;

type Input = { api: Api; pace: Pace; step: Steps['step']; releases: Releases; secret: string };
type Setting = { receiver: Receiver; assistant: Assistant; fromNumber: string };

/** All that a call needs: somebody who is told, an assistant with a tool, a number. Each run makes its own. */
export async function setUp({ api, pace, step, releases, secret }: Input): Promise<Setting> {
  const receiver = await step('Receiver', async (hint) => {
    const started = await startReceiver(secret);
    await releases.add(started.close);
    hint(`${new URL(started.webhookUrl).origin} takes webhooks and answers the tool`);
    return started;
  });
  const made = await step('Assistant', async (hint) => {
    const one = await makeAssistant(api, receiver, pace);
    hint(`${one.agent_name}, with a webhook URL and the tool ${TOOL_NAME}`);
    return one;
  });
  const fromNumber = await step('Number', async (hint) => {
    const number = await connectNumber(api, made.id, pace.callsPerSecond);
    hint(`${number}, ${pace.callsPerSecond} calls a second`);
    return number;
  });
  return { receiver, assistant: made, fromNumber };
}

/** An assistant that reports to the receiver and can ask its tool. */
async function makeAssistant(api: Api, receiver: Receiver, pace: Pace): Promise<Assistant> {
  const name = `Freewheel demo ${randomBytes(2).toString('hex')}`;
  const made = await api.send(createAssistant, { body: demoAssistant(name, receiver.webhookUrl, pace) });
  await api.send(createCustomTool, { body: demoTool(made.id, receiver.toolUrl) });
  return made;
}

const TRIES = 20;

/** Connects a number of 555-01xx that nobody has. The simulated carrier takes any account. spec: D5.2 */
async function connectNumber(api: Api, agentId: string, maxCps: number): Promise<string> {
  for (let left = TRIES; ; left -= 1) {
    // Those whom it calls are in the first half.
    const phoneNumber = `${randomPrefix()}01${randomInt(50, 100)}`;
    try {
      const body = {
        phone_number: phoneNumber,
        telco_account_sid: `AC${randomBytes(16).toString('hex')}`,
        telco_auth_token: randomBytes(16).toString('hex'),
        nickname: 'Freewheel demo',
        outbound_agent_id: agentId,
        max_cps: maxCps,
      };
      return (await api.send(importTelcoNumber, { body })).phone_number;
    } catch (error) {
      const taken = error instanceof ApiProblem && error.code === 'CONFLICT';
      if (!taken || left <= 1) throw error;
    }
  }
}
