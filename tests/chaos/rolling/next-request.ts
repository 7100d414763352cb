/** Address and credentials of the platform, and the resources that the load uses. */
export type Target = {
  url: string;
  key: string;
  agentId: string;
  /** The number of single and inbound calls. */
  fromNumber: string;
};

/** A request, and the status that it must get. */
export type ApiRequest = {
  method: 'GET' | 'POST' | 'PATCH';
  path: string;
  /** JSON, or a stream of it. */
  body?: unknown;
  expected: number;
  /** Access token of a web call, instead of the API key. */
  token?: string;
  /** Closes its connection after the response. */
  closesConnection?: boolean;
  /** Slow on purpose: its latency is not recorded. */
  isSlow?: boolean;
};

/** The n-th request: of every twenty, two place a call and one simulates an inbound call. */
export function nextRequest(
  n: number,
  { agentId, fromNumber }: Target,
  lastCall: string | undefined,
): ApiRequest {
  const other = `+1303${String(n).padStart(6, '0').slice(-6)}4321`;
  const voices: ApiRequest = { method: 'GET', path: '/v1/voice', expected: 200 };
  switch (n % 20) {
    case 0:
    case 10:
      return {
        method: 'POST',
        path: '/v2/call',
        body: { to_number: other, from_number: fromNumber },
        expected: 201,
      };
    case 7:
      return {
        method: 'POST',
        path: '/simulator/inbound',
        body: { from_number: other, to_number: fromNumber, script: ['Hello.', 'It is me.', 'Goodbye.'] },
        expected: 202,
      };
    case 17:
      return {
        method: 'POST',
        path: '/v1/campaigns',
        body: {
          campaign_name: `Draft ${n}`,
          agent_id: agentId,
          phone_number: fromNumber,
          contacts: [{ phone_number: '+13035550123' }],
        },
        expected: 201,
      };
    case 2:
    case 12:
      return {
        method: 'PATCH',
        path: `/v1/assistant/${agentId}`,
        body: { agent_name: `Ada ${n}` },
        expected: 200,
      };
    case 3:
    case 13:
      return { method: 'GET', path: '/v1/campaigns?limit=5', expected: 200 };
    case 4:
    case 14:
      return lastCall ? { method: 'GET', path: `/v2/call/${lastCall}/webhooks`, expected: 200 } : voices;
    case 6:
    case 16:
      return { method: 'POST', path: '/v2/call/list', body: { size: 5 }, expected: 200 };
    case 8:
    case 18:
      return { method: 'GET', path: `/v1/assistant/${agentId}`, expected: 200 };
    case 9:
    case 19:
      return { method: 'POST', path: '/v1/phone-number/list', body: {}, expected: 200 };
    default:
      return lastCall ? { method: 'GET', path: `/v2/call/${lastCall}`, expected: 200 } : voices;
  }
}
