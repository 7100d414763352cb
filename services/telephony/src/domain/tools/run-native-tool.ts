import type { SnapshotTool } from '@parley/contracts';
import type { Carrier } from '../carrier/port.ts';
import { checkArguments } from './check-arguments.ts';
import { failed, succeeded, type ToolOutcome } from './tool-outcome.ts';
import { within } from './within.ts';

export type NativeToolDeps = { carrier: Carrier };

export type NativeToolCall = {
  callId: string;
  workspaceId: string;
  /** The number of ours, and the human's; null on web calls. */
  ownNumber: string | null;
  customerNumber: string | null;
  /** Text of a static SMS, placeholders filled. */
  smsMessage: string;
  /** Resolves with the carrier's `transfer_result`. */
  transferResult: () => Promise<boolean>;
  /** Whether the call is still this worker's. May reject. */
  isOurs: () => Promise<boolean>;
};

/** `end_call` and `transfer_call` always wait 30 seconds (spec: Limits). */
const TIMEOUT_SECONDS = 30;

/** What the platform itself does for an assistant, by its carrier. */
export async function runNativeTool(
  { carrier }: NativeToolDeps,
  call: NativeToolCall,
  { tool, args, signal }: { tool: SnapshotTool; args: Record<string, unknown>; signal: AbortSignal },
): Promise<ToolOutcome> {
  const wrong = checkArguments(tool, args);
  if (wrong) return failed(wrong);
  const seconds = tool.tool_name === 'send_sms' ? tool.timeout_seconds : TIMEOUT_SECONDS;
  return within(seconds, signal, perform(carrier, call, tool, args));
}

async function perform(
  carrier: Carrier,
  call: NativeToolCall,
  tool: SnapshotTool,
  args: Record<string, unknown>,
): Promise<ToolOutcome> {
  switch (tool.tool_name) {
    // Hanging up is the call's own doing, after the turn is written.
    case 'end_call':
      return succeeded({ status: 'ending' });
    case 'transfer_call':
      return transfer(carrier, call, tool, args);
    case 'send_sms':
      return sendSms(carrier, call, tool, args);
    default:
      return failed(`There is no native tool ${tool.tool_name}`);
  }
}

const NOT_OURS = 'The call is in the hands of another worker';

async function transfer(
  carrier: Carrier,
  call: NativeToolCall,
  { native }: SnapshotTool,
  args: Record<string, unknown>,
): Promise<ToolOutcome> {
  const dynamic = native?.transfer_call_mode === 'dynamic';
  const destination = dynamic ? text(args.destination) : (native?.transfer_call_destination ?? '');
  if (destination === '') return failed('There is no destination to transfer the call to');
  if (!(await call.isOurs())) return failed(NOT_OURS);
  const result = call.transferResult();
  await carrier.transfer({ reference: call.callId, destination, type: native?.transfer_call_type ?? 'cold' });
  return (await result)
    ? succeeded({ status: 'transferred', destination })
    : failed('The destination did not answer');
}

async function sendSms(
  carrier: Carrier,
  call: NativeToolCall,
  { native }: SnapshotTool,
  args: Record<string, unknown>,
): Promise<ToolOutcome> {
  const from = native?.telco_from_number ?? call.ownNumber;
  const to = text(args.to) || call.customerNumber;
  const message = native?.sms_content_type === 'static' ? call.smsMessage : text(args.message);
  if (!from || !to) return failed('There is no number to send the message to');
  if (message === '') return failed('There is nothing to send');
  const { telco_account_sid: accountSid, telco_auth_token: authToken } = native ?? {};
  const account = accountSid && authToken ? { accountSid, authToken } : null;
  if (!(await call.isOurs())) return failed(NOT_OURS);
  const { messageId } = await carrier.sendSms({
    workspaceId: call.workspaceId,
    from,
    to,
    text: message,
    account,
  });
  return succeeded({ status: 'sent', message_id: messageId });
}

function text(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}
