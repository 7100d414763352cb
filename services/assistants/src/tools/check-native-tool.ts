import type { ErrorDetail } from '@parley/contracts';
import { validationFailed } from '@parley/kit/errors';
import { checkSipDestination, type OutboundAllowance } from '@parley/kit/outbound';
import type { NativeSettings } from './tool.ts';

/**
 * Throws `VALIDATION_FAILED` for a transfer to a non-public address, and if an enabled tool lacks a required setting
 * [tools.7]. A disabled tool may lack it, as in the configuration.
 */
export function checkNativeTool(tool: NativeSettings, isOn: boolean, allowed: OutboundAllowance): void {
  const details: ErrorDetail[] = [];
  const problem = checkSipDestination(tool.transferCallDestination ?? '', allowed);
  if (problem !== undefined) {
    const path = 'transfer_call_destination';
    details.push({ path, code: 'invalid_format', message: `${path} ${problem}` });
  }
  if (isOn) details.push(...missingSettings(tool));
  if (details.length > 0) throw validationFailed(details);
}

function missingSettings(tool: NativeSettings): ErrorDetail[] {
  const details: ErrorDetail[] = [];
  if (tool.transferCallMode === 'static' && isBlank(tool.transferCallDestination)) {
    details.push(required('transfer_call_destination', 'a static transfer'));
  }
  if (tool.smsContentType === 'static' && isBlank(tool.smsStaticMessage)) {
    details.push(required('sms_static_message', 'a static SMS'));
  }
  return details;
}

function isBlank(text: string | null): boolean {
  return text === null || text.trim() === '';
}

function required(path: string, by: string): ErrorDetail {
  return { path, code: 'required', message: `${path} is required by ${by}` };
}
