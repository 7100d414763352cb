import type { PidFiles } from '../processes/pid-files.ts';
import { createPortReservations } from '../processes/ports.ts';
import type { Releases } from '../processes/releases.ts';
import type { Provisioned } from '../servers/provision.ts';
import type { Hint, Steps } from '../terminal/steps.ts';
import { choosePorts } from './choose-ports.ts';
import { type Environment, type EnvironmentFile, serviceEnvironments } from './environment.ts';
import { inStack, START_MARKER } from './folders.ts';
import { writeJsonFile } from './json-file.ts';
import { PortTaken } from './port-taken.ts';
import { runServices } from './run-services.ts';
import { SERVICES, type ServiceName } from './services.ts';
import type { Stack } from './stack-file.ts';

export type Starting = {
  stack: Stack;
  urls: Provisioned['urls'];
  gatewayPort: number;
  originMs: number;
  without: ReadonlySet<ServiceName>;
  pidFiles: PidFiles;
  /** Telephony's variables for the SIP edge; empty without one. */
  edge: Environment;
};

const ATTEMPTS = 3;

/**
 * Starts the services and waits until all are ready. Their environment is written to `.stack/env.json`. Chooses new ports if another
 * program has taken one of them.
 */
export function startServices(
  starting: Starting,
  steps: Steps,
  releases: Releases,
): Promise<EnvironmentFile> {
  return steps.step('Services', async (hint) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await startOnce(starting, hint, steps, releases);
      } catch (error) {
        if (!(error instanceof PortTaken) || attempt === ATTEMPTS) throw error;
      }
    }
  });
}

async function startOnce(
  { stack, urls, gatewayPort, originMs, without, pidFiles, edge }: Starting,
  hint: Hint,
  { print }: Steps,
  releases: Releases,
): Promise<EnvironmentFile> {
  const reservations = createPortReservations(START_MARKER);
  await releases.add(reservations.release);
  const ports = await choosePorts(gatewayPort, reservations);
  const input = { stack, urls, ports, given: process.env, originMs, edge };
  const environments = serviceEnvironments(input);
  const gatewayUrl = `http://127.0.0.1:${ports.gateway}`;
  const file = { stack: stack.name, gatewayUrl, services: environments };
  writeJsonFile(inStack('env.json'), file);
  hint(SERVICES.map((name) => `${name} ${without.has(name) ? 'left out' : ports[name]}`).join(', '));

  const logToTerminal = process.env.LOG_TO === 'stdout';
  const services = runServices({ environments, without, logToTerminal, pidFiles, print });
  services.ready.catch(() => undefined);
  await releases.add(services.stop);
  try {
    await services.ready;
  } catch (error) {
    await services.stop();
    reservations.release();
    throw error;
  }
  return file;
}
