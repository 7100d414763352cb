import { isPortFree } from '../processes/ports.ts';
import { Problem } from '../terminal/problem.ts';

/** Another program took a port between our choice and the service's start. */
export class PortTaken extends Problem {
  constructor(port: number, service: string) {
    super(`Port ${port} of ${service} has been taken by another program in the meantime. Start again.`);
    this.name = 'PortTaken';
  }
}

/** The first port of a service that another process listens on, after the service has exited. */
export async function takenPort(env: NodeJS.ProcessEnv): Promise<number | undefined> {
  for (const value of [env.PORT, env.INTERNAL_PORT]) {
    if (value && !(await isPortFree(Number(value)))) return Number(value);
  }
  return undefined;
}
