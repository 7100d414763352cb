import { describe, expect, it } from '@jest/globals';
import type { SnapshotTool } from '@parley/contracts';
import { createLogger } from '@parley/kit/log';
import { createClock } from '@parley/kit/time';
import { assistant, dialingCall, START, silentCarrier } from '../../../tests/session-parts.ts';
import type { SmsRequest } from '../../carriers/carrier.ts';
import type { Call } from '../call.ts';
import { createArgumentCheck } from './check-arguments.ts';
import { createToolRunner } from './run-tool.ts';

type Native = Partial<NonNullable<SnapshotTool['native']>>;
type Use = { args?: Record<string, unknown>; native?: Native; call?: Partial<Call>; allowed?: string[] };

const OURS = dialingCall.fromNumber;
const THEIRS = dialingCall.toNumber;

/** Uses a native tool in a call; returns the requests to the carrier. */
async function use(tool_name: string, { args = {}, native = {}, call = {}, allowed = [] }: Use) {
  const sms: SmsRequest[] = [];
  const transfers: unknown[] = [];
  const run = createToolRunner({
    checkArguments: createArgumentCheck(),
    allowed: { allowCidrs: ['10.7.0.0/16'] },
    carrier: {
      ...silentCarrier,
      sendSms: async (request: SmsRequest) => {
        sms.push(request);
        return { messageId: 'm' };
      },
    },
    settings: { get: async () => ({ allowedDestinations: allowed }) },
    clock: createClock({ rate: 1, originMs: 0 }),
    log: createLogger({ service: 'telephony', level: 'silent' }),
  } as unknown as Parameters<typeof createToolRunner>[0]);
  const transfer = async (wanted: unknown) => {
    transfers.push(wanted);
    return { ok: true, error: null };
  };
  const tool = { tool_name, timeout_seconds: 30, native };
  const outcome = await run(
    {
      call: { ...dialingCall, ...call },
      assistant: { ...assistant, smsMessage: 'Hi Ada' },
      transfer,
      begin: async () => true,
    },
    {
      ...{ id: 'use', at: START, args },
      tool: { tool_name, parameters: null, source: { kind: 'native', tool } },
    } as unknown as Parameters<typeof run>[1],
    new AbortController().signal,
  );
  return { outcome, sms, transfers };
}

describe('send_sms [tools.8]', () => {
  it("prompt: sends the model's text to the human, from the number of the call", async () => {
    const { sms, outcome } = await use('send_sms', {
      args: { message: 'At nine.' },
      native: { sms_content_type: 'prompt' },
    });
    expect(sms).toMatchObject([{ from: OURS, to: THEIRS, text: 'At nine.', account: null }]);
    expect(outcome).toMatchObject({ result: { status: 'sent', message_id: 'm' }, error: null });
  });

  it("static: sends the client's text, whatever the model writes", async () => {
    const { sms } = await use('send_sms', {
      args: { message: 'Nonsense' },
      native: { sms_content_type: 'static' },
    });
    expect(sms).toMatchObject([{ text: 'Hi Ada' }]);
  });

  it("to the recipient that the model names (to?), from the tool's number and account", async () => {
    const account = { telco_account_sid: 'AC1', telco_auth_token: 'secret' };
    const native = { ...account, sms_content_type: 'static', telco_from_number: '+12125550177' } as const;
    const { sms } = await use('send_sms', { args: { to: '+12125550188' }, native });
    expect(sms).toMatchObject([
      { from: '+12125550177', to: '+12125550188', account: { accountSid: 'AC1', authToken: 'secret' } },
    ]);
  });

  it('of an inbound call is sent to the caller', async () => {
    const call = { callType: 'inbound', fromNumber: THEIRS, toNumber: OURS } as const;
    const { sms } = await use('send_sms', { native: { sms_content_type: 'static' }, call });
    expect(sms).toMatchObject([{ from: OURS, to: THEIRS }]);
  });

  it.each<[string, Use]>([
    ['to what is no number', { args: { to: 'Ada', message: 'Hi' } }],
    ['without a word', { args: {} }],
    [
      'in a web call, which has no numbers [web-calls.1]',
      { args: { message: 'Hi' }, call: { callType: 'web', fromNumber: null, toNumber: null } },
    ],
  ])('is not sent %s, and the assistant is informed', async (_, given) => {
    const { sms, outcome } = await use('send_sms', { native: { sms_content_type: 'prompt' }, ...given });
    expect(sms).toEqual([]);
    expect(outcome).toMatchObject({ result: null, error: expect.any(String) });
  });
});

describe('transfer_call [tools.8]', () => {
  const destination = '+12125550166';

  it("static: to the client's destination, whatever the model says; warm or cold", async () => {
    for (const type of ['cold', 'warm'] as const) {
      const native = { transfer_call_mode: 'static', transfer_call_type: type } as const;
      const { transfers } = await use('transfer_call', {
        args: { destination: '+12125550199', reason: 'They ask for a person' },
        native: { ...native, transfer_call_destination: destination },
      });
      expect(transfers).toEqual([{ destination, type }]);
    }
  });

  it('dynamic: to the destination that the model names', async () => {
    const native = { transfer_call_mode: 'dynamic', transfer_call_destination: '+12125550199' } as const;
    const { transfers } = await use('transfer_call', { args: { destination }, native });
    expect(transfers).toEqual([{ destination, type: 'cold' }]);
    const nowhere = await use('transfer_call', { args: { reason: 'why' }, native });
    expect(nowhere).toMatchObject({ transfers: [], outcome: { error: expect.any(String) } });
  });
});

it.each<['static' | 'dynamic', string, number]>([
  ['dynamic', 'sip:100@127.0.0.1', 0],
  ['dynamic', 'sip:10.0.0.5:5060', 0],
  ['static', 'sip:100@[::1]', 0],
  ['dynamic', 'sip:100@10.7.0.5', 1],
  ['dynamic', 'sip:100@pbx.example.com', 1],
])(
  'a %s transfer to %s may use public addresses and those that the operator allows',
  async (mode, to, count) => {
    const native = { transfer_call_mode: mode, transfer_call_destination: to };
    const { transfers } = await use('transfer_call', { native, args: { destination: to } });
    expect(transfers).toHaveLength(count);
  },
);

describe('allowed destinations [trust.22]', () => {
  const allowed = ['+49'];
  const NOT_ALLOWED = "The destination is not in this workspace's allowed destinations";
  const bounded = async (tool: string, given: Use) => {
    const { outcome, sms, transfers } = await use(tool, { allowed, ...given });
    return [outcome.error, sms.length + transfers.length];
  };

  it.each([
    ['transfer_call', { native: { transfer_call_destination: '+4930123456' } }, null],
    ['transfer_call', { native: { transfer_call_destination: '+8823456789' } }, NOT_ALLOWED],
    ['transfer_call', { native: { transfer_call_destination: 'sip:queue@pbx.example' } }, null],
    [
      'transfer_call',
      { native: { transfer_call_mode: 'dynamic' }, args: { destination: '+8823456789' } },
      NOT_ALLOWED,
    ],
    [
      'transfer_call',
      { native: { transfer_call_mode: 'dynamic' }, args: { destination: 'sip:+8823456789@carrier.example' } },
      NOT_ALLOWED,
    ],
    [
      'send_sms',
      { native: { sms_content_type: 'prompt' }, args: { to: '+8823456789', message: 'x' } },
      NOT_ALLOWED,
    ],
    ['send_sms', { native: { sms_content_type: 'prompt' }, args: { to: '+4915123456', message: 'x' } }, null],
  ] as [string, Use, string | null][])('%s %j', async (tool, given, error) => {
    expect(await bounded(tool, given)).toEqual([error, error === null ? 1 : 0]);
  });
});
