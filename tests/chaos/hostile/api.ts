import { realSleep } from '@parley/kit/time';

export type Api = <Data>(method: string, path: string, body?: object) => Promise<Data>;

/** A client of a workspace: a response other than 2xx is an error. `waitMs`: between attempts while the workspace is over its limits. */
export function createApi(url: string, key: string, waitMs?: number): Api {
  return async <Data>(method: string, path: string, body?: object): Promise<Data> => {
    const ask = () =>
      fetch(url + path, {
        method,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
    let response = await ask();
    for (; waitMs !== undefined && response.status === 429; response = await ask()) await realSleep(waitMs);
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return ((await response.json()) as { data: Data }).data;
  };
}

export type Caller = { agentId: string; numberId: string; phoneNumber: string };

/** Creates an assistant and a number for it. */
export async function createCaller(
  api: Api,
  { phoneNumber, webhookUrl }: { phoneNumber: string; webhookUrl?: string },
): Promise<Caller> {
  const config = {
    firstMessage: 'Hello, this is Ada.',
    settings: { recording: { enabled: false }, ...(webhookUrl ? { webhookUrl } : {}) },
  };
  const { id } = await api<{ id: string }>('POST', '/v1/assistant', { agent_name: 'Ada', config });
  const number = await api<{ id: string }>('POST', '/v1/phone-number/sip', {
    phone_number: phoneNumber,
    termination_uri: 'sip.example.com',
    max_cps: 50,
    inbound_agent_id: id,
    outbound_agent_id: id,
  });
  return { agentId: id, numberId: number.id, phoneNumber };
}
