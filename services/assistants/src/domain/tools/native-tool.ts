import type { NativeToolName } from '@parley/contracts';
import { newId } from '@parley/kit/ids';
import type { NativeEntries } from '../config/native-entries.ts';
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

/** Native tools other than `send_sms` always wait this long (spec: Limits). */
const TIMEOUT_SECONDS = 30;

/** A native tool as it comes into being when its assistant switches it on (D3.1). */
export function provisionNativeTool(
  agent: { id: string; workspaceId: string },
  name: NativeToolName,
  entries: NativeEntries,
  now: Date,
): Tool {
  return {
    ...NO_SETTINGS,
    ...(name === 'transfer_call' ? { transferCallType: 'cold' } : {}),
    ...nativeSettings(name, entries),
    id: newId(),
    workspaceId: agent.workspaceId,
    agentId: agent.id,
    toolName: name,
    description: DESCRIPTIONS[name],
    isNative: true,
    endpointUrl: `native://${name}`,
    httpMethod: 'POST',
    sealedHeaders: null,
    headerNames: [],
    parameters: null,
    timeoutSeconds: TIMEOUT_SECONDS,
    toolBehavior: 'blocking',
    resultScheduling: null,
    sealedTelcoCredentials: null,
    telcoFromNumber: null,
    createdAt: now,
    updatedAt: now,
  };
}

/** An entry of `nativeTools` in the words of the tool: camelCase there, and `""` for what is null here (spec: Tools). */
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
