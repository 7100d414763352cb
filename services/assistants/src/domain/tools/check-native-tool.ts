import type { ErrorDetail } from '@parley/contracts';
import { validationFailed } from '@parley/kit/errors';
import type { NativeSettings } from './tool.ts';

/**
 * Throws `VALIDATION_FAILED` for a tool that is on and lacks what it needs (D4.3). One that is off may lack it, as in the
 * configuration: it is asked for when the tool is switched on.
 */
export function checkNativeTool(tool: NativeSettings, isOn: boolean): void {
  if (!isOn) return;
  const details: ErrorDetail[] = [];
  if (tool.transferCallMode === 'static' && isBlank(tool.transferCallDestination)) {
    details.push(required('transfer_call_destination', 'a static transfer'));
  }
  if (tool.smsContentType === 'static' && isBlank(tool.smsStaticMessage)) {
    details.push(required('sms_static_message', 'a static SMS'));
  }
  if (details.length > 0) throw validationFailed(details);
}

function isBlank(text: string | null): boolean {
  return text === null || text.trim() === '';
}

function required(path: string, by: string): ErrorDetail {
  return { path, code: 'required', message: `${path} is required by ${by}` };
}
