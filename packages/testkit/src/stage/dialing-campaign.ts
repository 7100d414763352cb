import { setTimeout as sleep } from 'node:timers/promises';
import type { DialingAnswer, DialingStage, Line } from './dialing.ts';

export type CampaignOptions = {
  /** Outcomes at the simulated carrier, in rotation [running.2]; busy by default. */
  endings?: readonly string[];
  max_retries?: number;
  retry_intervals?: number[];
};

/** Long enough for several processes to start on a busy machine. */
const TRIES = 240;
let given = 0;

/** Creates a campaign with contacts of its own, and returns its id. */
export async function createCampaign(
  stage: DialingStage,
  { phoneNumber, agentId }: Line,
  contacts: number,
  { endings = ['0002'], ...more }: CampaignOptions = {},
): Promise<string> {
  const created = await postWithRetries(stage, '/v1/campaigns', 201, {
    campaign_name: 'Bench',
    agent_id: agentId,
    phone_number: phoneNumber,
    contacts: Array.from({ length: contacts }, (_, i) => {
      given += 1;
      return { phone_number: `+1${2_000_000 + given}${endings[i % endings.length]}` };
    }),
    ...more,
  });
  return String(created.data.campaign_id);
}

export async function resume(stage: DialingStage, id: string): Promise<void> {
  await postWithRetries(stage, `/v1/campaigns/${id}/resume`, 200);
}

/** Resolves with the response, after which no dial starts. */
export async function pause(stage: DialingStage, id: string): Promise<void> {
  await postWithRetries(stage, `/v1/campaigns/${id}/pause`, 200);
}

/** Waiting contacts are not dialed any more. */
export async function cancel(stage: DialingStage, id: string): Promise<void> {
  await postWithRetries(stage, `/v1/campaigns/${id}/cancel`, 200);
}

/** Retries until it succeeds: the machine may be busy, and its processes may have been killed. */
async function postWithRetries(
  stage: DialingStage,
  path: string,
  status: number,
  body?: object,
): Promise<DialingAnswer> {
  for (let left = TRIES; ; left -= 1) {
    const answer = await stage.post('campaigns', path, body).catch(() => undefined);
    if (answer?.status === status) return answer;
    if (left === 0 || (answer && answer.status !== 503))
      throw new Error(`${path}: ${answer?.text ?? 'no response'}`);
    await sleep(500);
  }
}
