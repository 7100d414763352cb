import { isPortFree, type PortReservations } from '../processes/ports.ts';
import { Problem } from '../terminal/problem.ts';
import { DEFAULT_PORTS, type Ports } from './services.ts';

/** The public port. It is an error if it is taken: clients rely on it. */
export async function publicPort(env: NodeJS.ProcessEnv): Promise<number> {
  const given = env.GATEWAY_PORT || String(DEFAULT_PORTS.gateway);
  const port = Number(given);
  if (!/^\d+$/.test(given) || port < 1 || port > 65_535) {
    throw new Problem(`GATEWAY_PORT must be a port from 1 to 65535, but is "${given}".`);
  }
  if (await isPortFree(port)) return port;
  throw new Problem(
    `Port ${port} is taken by another program. Stop it, or move Parley: GATEWAY_PORT=${port + 1000} npm start`,
  );
}

/** Ports of all services; internal ones move up if they are taken. */
export async function choosePorts(gateway: number, reservations: PortReservations): Promise<Ports> {
  const { assistants, telephony, campaigns, webhooks, internal } = DEFAULT_PORTS;
  return {
    gateway,
    assistants: await reservations.take(assistants),
    telephony: await reservations.take(telephony),
    campaigns: await reservations.take(campaigns),
    webhooks: await reservations.take(webhooks),
    internal: await reservations.take(internal),
  };
}
