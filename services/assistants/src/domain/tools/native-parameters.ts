import { NATIVE_TOOL_NAMES, type NativeToolName } from '@parley/contracts';
import type { JsonObject } from '../json-object.ts';
import type { NativeSettings } from './tool.ts';

export function isNativeToolName(name: string): name is NativeToolName {
  return NATIVE_TOOL_NAMES.some((native) => native === name);
}

type Settings = Pick<NativeSettings, 'smsContentType' | 'transferCallMode'>;

/** The arguments of a native tool: set by the service, and following its settings (D4.4). */
export function nativeParameters(name: NativeToolName, settings: Settings): JsonObject {
  switch (name) {
    case 'end_call':
      return schema({ reason: text('Why the call ends') }, []);
    case 'transfer_call': {
      const reason = text('Why the call is transferred');
      if (settings.transferCallMode !== 'dynamic') return schema({ reason }, []);
      const destination = text('Phone number in E.164 form, or sip: URI, to transfer the call to');
      return schema({ destination, reason }, ['destination']);
    }
    case 'send_sms': {
      const to = text('Phone number in E.164 form; left out, the SMS goes to the other party of the call');
      if (settings.smsContentType === 'static') return schema({ to }, []);
      return schema({ to, message: text('What the SMS says') }, ['message']);
    }
  }
}

function text(description: string): JsonObject {
  return { type: 'string', description };
}

function schema(properties: JsonObject, required: string[]): JsonObject {
  return { type: 'object', properties, required };
}
