/** The services, in display order. */
export const SERVICES = ['gateway', 'assistants', 'telephony', 'campaigns', 'webhooks'] as const;

export type ServiceName = (typeof SERVICES)[number];

/** The preferred ports of a stack; `internal` is the gateway's internal port. */
export type Ports = Record<ServiceName | 'internal', number>;

export const DEFAULT_PORTS: Ports = {
  gateway: 8080,
  assistants: 8081,
  telephony: 8082,
  campaigns: 8083,
  webhooks: 8084,
  internal: 8090,
};

/** A record with a value for each service. */
export function forEachService<T>(make: (service: ServiceName) => T): Record<ServiceName, T> {
  return {
    gateway: make('gateway'),
    assistants: make('assistants'),
    telephony: make('telephony'),
    campaigns: make('campaigns'),
    webhooks: make('webhooks'),
  };
}
