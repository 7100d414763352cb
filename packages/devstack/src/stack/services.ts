/** The services, in the order in which people read them. */
export const SERVICES = ['gateway', 'assistants', 'telephony', 'campaigns', 'webhooks'] as const;

export type ServiceName = (typeof SERVICES)[number];

/** The ports that a stack takes when they are free; `internal` is the gateway's second door. */
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
