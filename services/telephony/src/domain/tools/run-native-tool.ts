import { e164, type SnapshotTool, transferDestination } from '@parley/contracts';
import type { TransferResult } from '../calls/transfers.ts';
import type { Carrier } from '../carrier/port.ts';
import { failed, succeeded, type ToolOutcome } from './tool-outcome.ts';
import { within } from './within.ts';

export type NativeToolDeps = { carrier: Pick<Carrier, 'sendSms'> };

/** The call that a native tool is used in. */
export type NativeScene = {
  workspaceId: string;
  /** The number of ours, and the human's; null on web calls. */
  ownNumber: string | null;
  customerNumber: string | null;
  /** Text of a static SMS, placeholders filled. */
  smsMessage: string;
  transfer: (wanted: { destination: string; type: 'cold' | 'warm' }) => Promise<TransferResult>;
};

type Args = Record<string, unknown>;

/** `end_call` and `transfer_call` always wait 30 seconds (spec: Limits). */
const TIMEOUT_SECONDS = 30;

/** What the platform itself does for an assistant, by its carrier. */
export async function runNativeTool(
  { carrier }: NativeToolDeps,
  scene: NativeScene,
  { tool, args, signal }: { tool: SnapshotTool; args: Args; signal: AbortSignal },
): Promise<ToolOutcome> {
  switch (tool.tool_name) {
    // Hanging up is the call's own doing, after the turn is written.
    case 'end_call':
      return succeeded({ status: 'ending' });
    case 'transfer_call':
      return within(TIMEOUT_SECONDS, signal, transfer(scene, tool, args));
    case 'send_sms':
      return within(tool.timeout_seconds, signal, sendSms(carrier, scene, tool, args));
    default:
      return failed(`There is no native tool ${tool.tool_name}`);
  }
}

async function transfer(scene: NativeScene, { native }: SnapshotTool, args: Args): Promise<ToolOutcome> {
  const dynamic = native?.transfer_call_mode === 'dynamic';
  const wanted = dynamic ? text(args.destination) : (native?.transfer_call_destination ?? '');
  if (wanted === '') return failed('There is no destination to transfer the call to');
  const destination = transferDestination.safeParse(wanted);
  if (!destination.success) return failed('The destination must be an E.164 number or a sip: URI');
  const type = native?.transfer_call_type ?? 'cold';
  const { ok, error } = await scene.transfer({ destination: destination.data, type });
  return ok ? succeeded({ status: 'transferred', destination: destination.data }) : failed(error ?? '');
}

async function sendSms(
  carrier: NativeToolDeps['carrier'],
  scene: NativeScene,
  { native }: SnapshotTool,
  args: Args,
): Promise<ToolOutcome> {
  const from = native?.telco_from_number ?? scene.ownNumber;
  const to = text(args.to) || scene.customerNumber;
  const message = native?.sms_content_type === 'static' ? scene.smsMessage : text(args.message);
  if (!from || !to) return failed('There is no number to send the message to');
  if (!e164.safeParse(to).success) return failed('The number must be an E.164 number such as +14155550123');
  if (message === '') return failed('There is nothing to send');
  const { telco_account_sid: accountSid, telco_auth_token: authToken } = native ?? {};
  const account = accountSid && authToken ? { accountSid, authToken } : null;
  const { workspaceId } = scene;
  const sent = await carrier.sendSms({ workspaceId, from, to, text: message, account });
  return 'refused' in sent ? failed(sent.refused) : succeeded({ status: 'sent', message_id: sent.messageId });
}

function text(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}
