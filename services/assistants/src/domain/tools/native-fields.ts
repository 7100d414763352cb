import type { nativeToolChanges } from '@parley/contracts';
import type { z } from 'zod';
import type { Tool } from './tool.ts';

type Changes = { [Name in keyof typeof nativeToolChanges]: z.output<(typeof nativeToolChanges)[Name]> };

/** What was sent of a native tool; only fields of its kind are in it. */
export type NativeFields = Changes['transfer_call'] & Changes['send_sms'];

/** The fields that were sent, in the words of the tool; the carrier account is `changeTelcoAccount`'s. */
export function readNativeFields(sent: NativeFields): Partial<Tool> {
  const fields = {
    description: sent.description,
    timeoutSeconds: sent.timeout_seconds,
    smsContentType: sent.sms_content_type,
    smsStaticMessage: emptyIsNone(sent.sms_static_message),
    telcoFromNumber: sent.telco_from_number,
    transferCallMode: sent.transfer_call_mode,
    transferCallDestination: emptyIsNone(sent.transfer_call_destination),
    transferCallType: sent.transfer_call_type,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** The assistant says `""` where the tool says null; here either will do. */
function emptyIsNone(text: string | null | undefined): string | null | undefined {
  return text === '' ? null : text;
}
