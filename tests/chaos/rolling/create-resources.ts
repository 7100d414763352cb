import type { Target } from './next-request.ts';

/** In stack time, which runs four times as fast: one contact per real second. */
const CAMPAIGN_CPS = 0.25;
const CONTACTS = 2_000;

/** The campaign that runs during the whole load. */
export type Campaign = {
  id: string;
  pause(): Promise<void>;
  read(): Promise<{ completed_calls: number; successful_calls: number }>;
};

/** Creates an assistant, a number for single calls and one for a campaign, and starts the campaign. */
export async function createResources(
  url: string,
  key: string,
  webhookUrl: string,
): Promise<{ target: Target; campaign: Campaign }> {
  const api = async <Data>(method: 'GET' | 'POST' | 'PUT', path: string, body?: object): Promise<Data> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const response = await fetch(url + path, {
      method,
      headers,
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return ((await response.json()) as { data: Data }).data;
  };
  const config = { firstMessage: 'Hello, this is Ada.', settings: { webhookUrl } };
  const { id: agentId } = await api<{ id: string }>('POST', '/v1/assistant', { agent_name: 'Ada', config });
  const [fromNumber, campaignNumber] = ['+15550100777', '+15550100778'];
  for (const [phone_number, max_cps] of [
    [fromNumber, 50],
    [campaignNumber, CAMPAIGN_CPS],
  ] as const) {
    const agents = { inbound_agent_id: agentId, outbound_agent_id: agentId };
    await api('POST', '/v1/phone-number/sip', {
      phone_number,
      termination_uri: 'sip.example.com',
      max_cps,
      ...agents,
    });
  }
  const contacts = Array.from({ length: CONTACTS }, (_, n) => ({
    phone_number: `+1202${String(n).padStart(6, '0')}4321`,
  }));
  const { campaign_id } = await api<{ campaign_id: string }>('POST', '/v1/campaigns', {
    campaign_name: 'During the rollout',
    agent_id: agentId,
    phone_number: campaignNumber,
    contacts,
  });
  await api('POST', `/v1/campaigns/${campaign_id}/resume`);
  return {
    target: { url, key, agentId, fromNumber },
    campaign: {
      id: campaign_id,
      pause: () => api('POST', `/v1/campaigns/${campaign_id}/pause`),
      read: () => api('GET', `/v1/campaigns/${campaign_id}`),
    },
  };
}
