import { isPortFree } from '../processes/ports.ts';
import { Problem } from '../terminal/problem.ts';

/** Another program took a port between our choice and the service's start. */
export class PortTaken extends Problem {
  constructor(port: number, service: string) {
    super(`Port ${port}, chosen for ${service}, has been taken by another program meanwhile. Start again.`);
    this.name = 'PortTaken';
  }
}

/** The first of a service's ports on which somebody else listens; asked once the service is gone. */
export async function takenPort(env: NodeJS.ProcessEnv): Promise<number | undefined> {
  for (const value of [env.PORT, env.INTERNAL_PORT]) {
    if (value && !(await isPortFree(Number(value)))) return Number(value);
  }
  return undefined;
}
