type Config = Readonly<Record<string, unknown>> & { HOST: string; PORT: number };

/** Variables with internal addresses of the platform. */
const INTERNAL = [
  'GATEWAY_INTERNAL_URL',
  'ASSISTANTS_URL',
  'TELEPHONY_URL',
  'CAMPAIGNS_URL',
  'WEBHOOKS_URL',
  'DATABASE_URL',
  'AMQP_URL',
  'REDIS_URL',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'WORKER_URL',
  'SIP_EDGE_URL',
];

/** RabbitMQ's management API (http, https), metrics and clustering, beside its AMQP port. */
const BROKER_PORTS = [15_672, 15_671, 15_692, 25_672, 4_369];

/**
 * Default ports of Redis, of OTLP receivers (gRPC, HTTP) and of SIP edges' listeners for workers, which not every service has in its
 * configuration.
 */
const USUAL_PORTS = [6_379, 4_317, 4_318, 5_066];

/** The internal addresses of the platform, which outbound requests must not reach [trust.12]. */
export function internalUrlsOf(config: Config): string[] {
  const own = new URL('http://host');
  own.hostname = config.HOST.includes(':') ? `[${config.HOST}]` : config.HOST;
  const ofOwn = [config.PORT, config.INTERNAL_PORT].map((port) => withPort(own, port));
  const urls = INTERNAL.flatMap((name) => config[name]).filter((value) => typeof value === 'string');
  const broker = typeof config.AMQP_URL === 'string' ? new URL(config.AMQP_URL) : own;
  const ofBroker = BROKER_PORTS.map((port) => withPort(broker, port));
  const usual = USUAL_PORTS.map((port) => withPort(own, port));
  return [...ofOwn, ...urls, ...ofBroker, ...usual].filter((value) => value !== undefined);
}

function withPort({ hostname }: URL, port: unknown): string | undefined {
  return typeof port === 'number' ? `http://${hostname}:${port}` : undefined;
}
