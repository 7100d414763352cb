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
  /** The filled texts exceed their maximum, and are not all here: the call cannot take place. */
  isTooLong: boolean;
};

/** Of the filled texts together: each placeholder may repeat a variable of 16 KiB [trust.29]. */
const MAX_FILLED_CHARACTERS = 250_000;
/** Listed with the call. */
const MAX_UNRESOLVED = 100;
const MAX_UNRESOLVED_CHARACTERS = 100;

export const TOO_LONG = `The texts of the assistant, with the variables filled in, have more than ${MAX_FILLED_CHARACTERS.toLocaleString('en-US')} characters`;

export function prepareAssistant(
  snapshot: AssistantSnapshot,
  variables: Readonly<Record<string, unknown>>,
): PreparedAssistant {
  const config = readCallConfig(snapshot.config);
  const sms = snapshot.tools.find(({ tool_name, is_native }) => is_native && tool_name === 'send_sms');
  const staticSms = sms?.native?.sms_content_type === 'static' ? sms.native.sms_static_message : null;
  const unresolved = new Set<string>();
  let left = MAX_FILLED_CHARACTERS;
  let isTooLong = false;
  const fill = (text: string): string => {
    const filled = fillPlaceholders(text, variables, left);
    if (!filled) {
      isTooLong = true;
      return '';
    }
    left -= filled.text.length;
    for (const name of filled.unresolved) unresolved.add(name.slice(0, MAX_UNRESOLVED_CHARACTERS));
    return filled.text;
  };
  const texts = {
    systemPrompt: fill(config.systemPrompt),
    firstMessage: fill(config.firstMessage),
    voicemailMessage: fill(config.settings.voicemail.message),
    smsMessage: fill(staticSms ?? ''),
  };
  return { snapshot, config, ...texts, unresolved: [...unresolved].slice(0, MAX_UNRESOLVED), isTooLong };
}
