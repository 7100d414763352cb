export const SERVICES = ['gateway', 'assistants', 'telephony', 'campaigns', 'webhooks'] as const;

/** A service of the platform. Each owns its tables and routes. */
export type ServiceName = (typeof SERVICES)[number];

/** Which services each service accepts internal tokens from [trust.15]. */
export const CALLERS: Readonly<Record<ServiceName, readonly ServiceName[]>> = {
  // The operator CLI runs as the gateway and calls its internal port.
  gateway: ['gateway', 'telephony', 'webhooks'],
  assistants: ['gateway', 'telephony', 'campaigns', 'webhooks'],
  telephony: ['gateway', 'assistants', 'campaigns', 'webhooks'],
  campaigns: ['gateway', 'assistants', 'telephony'],
  webhooks: ['gateway'],
};
