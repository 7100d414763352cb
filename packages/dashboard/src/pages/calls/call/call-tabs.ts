export const CALL_TABS = ['transcript', 'overview', 'timeline', 'webhooks', 'json'] as const;
export type CallTab = (typeof CALL_TABS)[number];
