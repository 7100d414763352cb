import { type FieldErrors, hasErrorBelow } from '../model/field-errors.ts';

/** The tabs of the editor, and the fields of the API that each shows. */
export const TABS = [
  {
    id: 'prompt',
    label: 'Prompt',
    paths: ['agent_name', 'agent_type', 'config.systemPrompt', 'config.firstMessage'],
  },
  {
    id: 'voice',
    label: 'Voice and model',
    paths: ['config.language', 'config.voice', 'config.transcriber', 'config.model'],
  },
  {
    id: 'calls',
    label: 'Calls',
    paths: [
      'config.settings.endpointing',
      'config.settings.interruption',
      'config.settings.maxCallDuration',
      'config.settings.silenceTimeout',
      'config.settings.ringTimeout',
      'config.settings.voicemail',
      'config.settings.recording',
    ],
  },
  { id: 'tools', label: 'Tools', paths: ['config.nativeTools', 'config.toolIds'] },
  { id: 'knowledge', label: 'Knowledge', paths: ['config.kbStoreIds'] },
  { id: 'analysis', label: 'Analysis', paths: ['config.settings.postCallAnalysis'] },
  { id: 'webhook', label: 'Webhook', paths: ['config.settings.webhookUrl', 'webhook_secret'] },
  { id: 'json', label: 'JSON', paths: [] },
] as const;

export const TAB_IDS = TABS.map(({ id }) => id);
export type TabId = (typeof TAB_IDS)[number];

/** The first tab that shows one of the errors; JSON shows those of no field. */
export function tabOfErrors(errors: FieldErrors): TabId | undefined {
  if (Object.keys(errors).length === 0) return undefined;
  return TABS.find(({ paths }) => paths.some((path) => hasErrorBelow(errors, path)))?.id ?? 'json';
}
