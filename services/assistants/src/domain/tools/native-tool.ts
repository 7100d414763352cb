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

/** `send_sms` may be told to wait longer or shorter, the others always wait this long (spec: Limits). */
const TIMEOUT_SECONDS = 30;

/** A native tool with the given settings, and defaults for the others. */
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
    parameters: null,
    toolBehavior: 'blocking',
    resultScheduling: null,
    createdAt: now,
    updatedAt: now,
  };
}

/** A native tool as it comes into being when its assistant switches it on (D3.1). */
export function provisionNativeTool(
  agent: { id: string; workspaceId: string },
  name: NativeToolName,
  entries: NativeEntries,
  now: Date,
): Tool {
  return newNativeTool(agent, name, nativeSettings(name, entries), now);
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
