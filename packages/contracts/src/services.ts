export const SERVICES = ['gateway', 'assistants', 'telephony', 'campaigns', 'webhooks'] as const;

/** A process of the platform. Each owns its tables and answers its own routes. */
export type ServiceName = (typeof SERVICES)[number];
