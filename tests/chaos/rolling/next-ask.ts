/** Where the load goes, and what it goes on about. */
export type Target = {
  url: string;
  key: string;
  agentId: string;
  /** Of single calls and of calls that come in. */
  fromNumber: string;
};

/** What a request asks. */
export type Ask = {
  method: 'GET' | 'POST' | 'PATCH';
  path: string;
  /** JSON, or a stream of it. */
  body?: unknown;
  expected: number;
  /** Of a web call, in place of the key. */
  token?: string;
  /** Closes its connection behind it. */
  last?: boolean;
  /** Takes its time by itself: how long says nothing. */
  isSlow?: boolean;
};

/** The n-th request: of twenty, two place a call and one has a call come in. */
export function nextAsk(n: number, { agentId, fromNumber }: Target, lastCall: string | undefined): Ask {
  const other = `+1303${String(n).padStart(6, '0').slice(-6)}4321`;
  const voices: Ask = { method: 'GET', path: '/v1/voice', expected: 200 };
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
