import type { AssistantSnapshot } from '@parley/contracts';
import { type CallConfig, readCallConfig } from './call-config.ts';
import { fillPlaceholders } from './fill-placeholders.ts';

/** The assistant of one call: its configuration with all placeholders replaced [campaigns.4]. */
export type PreparedAssistant = {
  snapshot: AssistantSnapshot;
  config: CallConfig;
  systemPrompt: string;
  firstMessage: string;
  voicemailMessage: string;
  /** Text of a static SMS; empty when there is none. */
  smsMessage: string;
  unresolved: string[];
};

export function prepareAssistant(
  snapshot: AssistantSnapshot,
  variables: Readonly<Record<string, unknown>>,
): PreparedAssistant {
  const config = readCallConfig(snapshot.config);
  const sms = snapshot.tools.find(({ tool_name, is_native }) => is_native && tool_name === 'send_sms');
  const staticSms = sms?.native?.sms_content_type === 'static' ? sms.native.sms_static_message : null;
  const unresolved = new Set<string>();
  const fill = (text: string): string => {
    const filled = fillPlaceholders(text, variables);
    for (const name of filled.unresolved) unresolved.add(name);
    return filled.text;
  };
  return {
    snapshot,
    config,
    systemPrompt: fill(config.systemPrompt),
    firstMessage: fill(config.firstMessage),
    voicemailMessage: fill(config.settings.voicemail.message),
    smsMessage: fill(staticSms ?? ''),
    unresolved: [...unresolved],
  };
}
