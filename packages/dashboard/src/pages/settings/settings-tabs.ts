export const SETTINGS_TABS = [
  'workspace',
  'members',
  'do-not-call',
  'retention',
  'audit',
  'account',
] as const;
export type SettingsTab = (typeof SETTINGS_TABS)[number];

export const TAB_NAMES: Readonly<Record<SettingsTab, string>> = {
  workspace: 'Workspace',
  members: 'Members',
  'do-not-call': 'Do not call',
  retention: 'Data retention',
  audit: 'Audit log',
  account: 'Your account',
};
