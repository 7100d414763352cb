import { e164, type SnapshotTool, transferDestination } from '@parley/contracts';
import { checkSipDestination, type OutboundAllowance } from '@parley/kit/outbound';
import type { MessageSender } from '../../carriers/carrier.ts';
import { isAllowedNumber, isAllowedTransfer } from '../../limits/destinations.ts';
import type { TransferResult } from '../transfers.ts';
import { failed, succeeded, type ToolOutcome } from './tool-outcome.ts';
import { withTimeout } from './with-timeout.ts';

export type NativeToolDeps = {
  carrier: MessageSender;
  /** Private SIP hosts that the operator allows as transfer targets. */
  allowed: OutboundAllowance;
};

/** The call in which a native tool runs. */
export type NativeToolContext = {
  workspaceId: string;
  /** Our number and the human's; null in web calls. */
  ownNumber: string | null;
  customerNumber: string | null;
  /** Text of a static SMS with placeholders filled. */
  smsMessage: string;
  /** Prefixes of allowed transfer and SMS targets [trust.22]; empty: no restriction. */
  allowedDestinations: readonly string[];
  transfer: (wanted: { destination: string; type: 'cold' | 'warm' }) => Promise<TransferResult>;
};

type Args = Record<string, unknown>;

/** Timeout of `end_call` and `transfer_call` [tools.11]. */
const TIMEOUT_SECONDS = 30;
const NOT_ALLOWED = "The destination is not in this workspace's allowed destinations";

/** Runs a tool that the platform implements itself. */
export async function runNativeTool(
  { carrier, allowed }: NativeToolDeps,
  context: NativeToolContext,
  { tool, args, signal }: { tool: SnapshotTool; args: Args; signal: AbortSignal },
): Promise<ToolOutcome> {
  switch (tool.tool_name) {
    // The session hangs up after the turn is stored.
    case 'end_call':
      return succeeded({ status: 'ending' });
    case 'transfer_call':
      return withTimeout(TIMEOUT_SECONDS, signal, transfer(context, tool, args, allowed));
    case 'send_sms':
      return withTimeout(tool.timeout_seconds, signal, sendSms(carrier, context, tool, args));
    default:
      return failed(`There is no native tool ${tool.tool_name}`);
  }
}

async function transfer(
  context: NativeToolContext,
  { native }: SnapshotTool,
  args: Args,
  allowed: OutboundAllowance,
): Promise<ToolOutcome> {
  const dynamic = native?.transfer_call_mode === 'dynamic';
  const wanted = dynamic ? text(args.destination) : (native?.transfer_call_destination ?? '');
  if (wanted === '') return failed('The transfer has no destination');
  const destination = transferDestination.safeParse(wanted);
  if (!destination.success)
    return failed('The destination must be an E.164 number or a sip: URI without headers');
  const problem = checkSipDestination(destination.data, allowed);
  if (problem !== undefined) return failed(`The destination ${problem}`);
  const bounds = { prefixes: context.allowedDestinations, isConfigured: !dynamic };
  if (!isAllowedTransfer(destination.data, bounds)) return failed(NOT_ALLOWED);
  const type = native?.transfer_call_type ?? 'cold';
  const { ok, error } = await context.transfer({ destination: destination.data, type });
  return ok ? succeeded({ status: 'transferred', destination: destination.data }) : failed(error ?? '');
}

async function sendSms(
  carrier: NativeToolDeps['carrier'],
  context: NativeToolContext,
  { native }: SnapshotTool,
  args: Args,
): Promise<ToolOutcome> {
  const from = native?.telco_from_number ?? context.ownNumber;
  const to = text(args.to) || context.customerNumber;
  const message = native?.sms_content_type === 'static' ? context.smsMessage : text(args.message);
  if (!from || !to) return failed('The message has no destination number');
  if (!e164.safeParse(to).success) return failed('The number must be an E.164 number such as +14155550123');
  if (!isAllowedNumber(to, context.allowedDestinations)) return failed(NOT_ALLOWED);
  if (message === '') return failed('The message is empty');
  const { telco_account_sid: accountSid, telco_auth_token: authToken } = native ?? {};
  const account = accountSid && authToken ? { accountSid, authToken } : null;
  const { workspaceId } = context;
  const sent = await carrier.sendSms({ workspaceId, from, to, text: message, account });
  return 'refused' in sent ? failed(sent.refused) : succeeded({ status: 'sent', message_id: sent.messageId });
}

function text(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}
