export const SETTINGS_TABS = [
  'workspace',
  'members',
  'limits',
  'do-not-call',
  'retention',
  'audit',
  'account',
] as const;
