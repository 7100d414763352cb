import { NATIVE_TOOL_NAMES, type NativeToolName, type nativeToolChanges } from '@parley/contracts';
import { newId } from '@parley/kit/ids';
import type { z } from 'zod';
import type { NativeEntries } from '../assistants/config/native-entries.ts';
import type { JsonObject } from '../json-object.ts';
import type { NativeSettings, Tool } from './tool.ts';

const DESCRIPTIONS: Record<NativeToolName, string> = {
  end_call: 'Ends the call. Use it when the conversation is over.',
  transfer_call: 'Transfers the call to a person or another line.',
  send_sms: 'Sends an SMS.',
};

const NO_SETTINGS: NativeSettings = {
  smsContentType: null,
  smsStaticMessage: null,
  transferCallMode: null,
  transferCallDestination: null,
  transferCallType: null,
};

/** Only `send_sms` has a configurable timeout [tools.11]. */
const TIMEOUT_SECONDS = 30;

/** A native tool with the given settings; others have their defaults. */
export function newNativeTool(
  agent: { id: string; workspaceId: string },
  name: NativeToolName,
  settings: Partial<Tool>,
  now: Date,
): Tool {
  return {
    ...NO_SETTINGS,
    ...(name === 'transfer_call' ? { transferCallType: 'cold' } : {}),
    description: DESCRIPTIONS[name],
    timeoutSeconds: TIMEOUT_SECONDS,
    sealedTelcoCredentials: null,
    telcoFromNumber: null,
    ...settings,
    id: newId(),
    workspaceId: agent.workspaceId,
    agentId: agent.id,
    toolName: name,
    isNative: true,
    endpointUrl: `native://${name}`,
    httpMethod: 'POST',
    sealedHeaders: null,
    headerNames: [],
    sealedWebhookSecret: null,
    parameters: null,
    toolBehavior: 'blocking',
    resultScheduling: null,
    createdAt: now,
    updatedAt: now,
  };
}

/** The native tool that is created when its assistant enables it for the first time [assistants.15]. */
export function provisionNativeTool(
  agent: { id: string; workspaceId: string },
  name: NativeToolName,
  entries: NativeEntries,
  now: Date,
): Tool {
  return newNativeTool(agent, name, nativeSettings(name, entries), now);
}

/** Settings of a tool from its entry in `nativeTools`: camelCase there, and `""` instead of null. */
export function nativeSettings(name: NativeToolName, entries: NativeEntries): Partial<NativeSettings> {
  switch (name) {
    case 'end_call':
      return {};
    case 'transfer_call': {
      const { mode, staticDestination } = entries.transfer_call;
      return { transferCallMode: mode, transferCallDestination: staticDestination || null };
    }
    case 'send_sms': {
      const { smsContentType, smsStaticMessage } = entries.send_sms;
      return { smsContentType, smsStaticMessage: smsStaticMessage || null };
    }
  }
}

export function isNativeToolName(name: string): name is NativeToolName {
  return NATIVE_TOOL_NAMES.some((native) => native === name);
}

type Settings = Pick<NativeSettings, 'smsContentType' | 'transferCallMode'>;

/** The parameters of a native tool, which depend on its settings [tools.8]. */
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
      const to = text('Phone number in E.164 form; without it the SMS goes to the other party of the call');
      if (settings.smsContentType === 'static') return schema({ to }, []);
      return schema({ to, message: text('Text of the SMS') }, ['message']);
    }
  }
}

function text(description: string): JsonObject {
  return { type: 'string', description };
}

function schema(properties: JsonObject, required: string[]): JsonObject {
  return { type: 'object', properties, required };
}

type Changes = { [Name in keyof typeof nativeToolChanges]: z.output<(typeof nativeToolChanges)[Name]> };

/** The fields of a native tool in a request. */
export type NativeFields = Changes['transfer_call'] & Changes['send_sms'];

/** The sent fields as tool properties; for the carrier account see `changeTelcoAccount`. */
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

/** The assistant's configuration has `""` where the tool has null; both are accepted. */
function emptyIsNone(text: string | null | undefined): string | null | undefined {
  return text === '' ? null : text;
}
