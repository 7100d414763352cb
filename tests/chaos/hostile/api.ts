export type Ask = <Data>(method: string, path: string, body?: object) => Promise<Data>;

/** Requests of a workspace that works as it should: an answer other than 2xx is an error. */
export function createAsk(url: string, key: string): Ask {
  return async <Data>(method: string, path: string, body?: object): Promise<Data> => {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return ((await response.json()) as { data: Data }).data;
  };
}

export type Caller = { agentId: string; phoneNumber: string };

/** An assistant and a number that it calls from. */
export async function furnish(
  ask: Ask,
  { phoneNumber, webhookUrl }: { phoneNumber: string; webhookUrl?: string },
): Promise<Caller> {
  const config = {
    firstMessage: 'Hello, this is Ada.',
    settings: { recording: { enabled: false }, ...(webhookUrl ? { webhookUrl } : {}) },
  };
  const { id } = await ask<{ id: string }>('POST', '/v1/assistant', { agent_name: 'Ada', config });
  await ask('POST', '/v1/phone-number/sip', {
    phone_number: phoneNumber,
    termination_uri: 'sip.example.com',
    max_cps: 50,
    inbound_agent_id: id,
    outbound_agent_id: id,
  });
  return { agentId: id, phoneNumber };
}
