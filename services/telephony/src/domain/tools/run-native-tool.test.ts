import { describe, expect, it } from '@jest/globals';
import type { SnapshotTool } from '@parley/contracts';
import { createLogger } from '@parley/kit/log';
import { createClock } from '@parley/kit/time';
import { assistant, dialingCall, START, silentCarrier } from '../../../tests/session-parts.ts';
import type { Call } from '../calls/call.ts';
import type { SmsRequest } from '../carrier/port.ts';
import { createToolRunner } from './run-tool.ts';

type Native = Partial<NonNullable<SnapshotTool['native']>>;
type Use = { args?: Record<string, unknown>; native?: Native; call?: Partial<Call> };

const OURS = dialingCall.fromNumber;
const THEIRS = dialingCall.toNumber;

/** Uses a native tool in a call; gives what the carrier was asked for. */
async function use(tool_name: string, { args = {}, native = {}, call = {} }: Use) {
  const sms: SmsRequest[] = [];
  const transfers: unknown[] = [];
  const run = createToolRunner({
    carrier: {
      ...silentCarrier,
      sendSms: async (request: SmsRequest) => {
        sms.push(request);
        return { messageId: 'm' };
      },
    },
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

describe('send_sms (D4.4; spec: Tool object)', () => {
  it('prompt: says what the model wrote, to the human, from the number of the call', async () => {
    const { sms, outcome } = await use('send_sms', {
      args: { message: 'At nine.' },
      native: { sms_content_type: 'prompt' },
    });
    expect(sms).toMatchObject([{ from: OURS, to: THEIRS, text: 'At nine.', account: null }]);
    expect(outcome).toMatchObject({ result: { status: 'sent', message_id: 'm' }, error: null });
  });

  it('static: says what the client wrote, whatever the model does', async () => {
    const { sms } = await use('send_sms', {
      args: { message: 'Nonsense' },
      native: { sms_content_type: 'static' },
    });
    expect(sms).toMatchObject([{ text: 'Hi Ada' }]);
  });

  it('goes to whom the model names (to?), from the number that the tool has, by its account', async () => {
    const account = { telco_account_sid: 'AC1', telco_auth_token: 'secret' };
    const native = { ...account, sms_content_type: 'static', telco_from_number: '+12125550177' } as const;
    const { sms } = await use('send_sms', { args: { to: '+12125550188' }, native });
    expect(sms).toMatchObject([
      { from: '+12125550177', to: '+12125550188', account: { accountSid: 'AC1', authToken: 'secret' } },
    ]);
  });

  it('of a call that came in goes to who called', async () => {
    const call = { callType: 'inbound', fromNumber: THEIRS, toNumber: OURS } as const;
    const { sms } = await use('send_sms', { native: { sms_content_type: 'static' }, call });
    expect(sms).toMatchObject([{ from: OURS, to: THEIRS }]);
  });

  it.each<[string, Use]>([
    ['to what is no number', { args: { to: 'Ada', message: 'Hi' } }],
    ['without a word', { args: {} }],
    [
      'in a web call, which has no numbers (D6.2)',
      { args: { message: 'Hi' }, call: { callType: 'web', fromNumber: null, toNumber: null } },
    ],
  ])('is not sent %s, and the assistant is told', async (_, given) => {
    const { sms, outcome } = await use('send_sms', { native: { sms_content_type: 'prompt' }, ...given });
    expect(sms).toEqual([]);
    expect(outcome).toMatchObject({ result: null, error: expect.any(String) });
  });
});

describe('transfer_call (D4.4)', () => {
  const destination = '+12125550166';

  it('static: to the destination of the client, whatever the model says; warm or cold', async () => {
    for (const type of ['cold', 'warm'] as const) {
      const native = { transfer_call_mode: 'static', transfer_call_type: type } as const;
      const { transfers } = await use('transfer_call', {
        args: { destination: '+12125550199', reason: 'They ask for a person' },
        native: { ...native, transfer_call_destination: destination },
      });
      expect(transfers).toEqual([{ destination, type }]);
    }
  });

  it('dynamic: to whom the model names', async () => {
    const native = { transfer_call_mode: 'dynamic', transfer_call_destination: '+12125550199' } as const;
    const { transfers } = await use('transfer_call', { args: { destination }, native });
    expect(transfers).toEqual([{ destination, type: 'cold' }]);
    const nowhere = await use('transfer_call', { args: { reason: 'why' }, native });
    expect(nowhere).toMatchObject({ transfers: [], outcome: { error: expect.any(String) } });
  });
});
