import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PidFiles } from '../processes/pid-files.ts';
import { Problem } from '../terminal/problem.ts';
import type { Environment } from './environment.ts';
import { inStack } from './folders.ts';
import { processesOf } from './processes-of.ts';
import { SERVICES, type ServiceName } from './services.ts';
import { type SupervisedService, superviseService } from './supervised-service.ts';

const READY_WITHIN_MS = 60_000;

type Input = {
  environments: Record<ServiceName, Environment>;
  /** Services that run elsewhere. */
  without: ReadonlySet<ServiceName>;
  /** Logs to the terminal instead of `.stack/logs`. */
  logToTerminal: boolean;
  pidFiles: PidFiles;
  print(line: string): void;
};

export type RunningServices = { ready: Promise<void>; stop(): Promise<void> };

/** Starts every service and keeps it running. */
export function runServices({
  environments,
  without,
  logToTerminal,
  pidFiles,
  print,
}: Input): RunningServices {
  const services = new Map<string, SupervisedService>();
  const wanted = SERVICES.filter((name) => !without.has(name));
  for (const { name, main, env } of wanted.flatMap((service) =>
    processesOf(service, environments[service]),
  )) {
    if (!existsSync(main)) throw new Problem(`${main} is missing: the build did not create it.`);
    const setting = {
      name,
      main,
      env: { ...process.env, ...env },
      port: Number(env.INTERNAL_PORT ?? env.PORT),
      pidFiles,
      print,
      ...(logToTerminal ? {} : { logFile: inStack('logs', `${name}.log`) }),
    };
    services.set(name, superviseService(setting));
  }

  const waiting = new Set(services.keys());
  const each = [...services].map(([name, { ready }]) => ready.then(() => waiting.delete(name)));
  const late = sleep(READY_WITHIN_MS, undefined, { ref: false }).then(() => {
    if (waiting.size === 0) return;
    const names = [...waiting].join(', ');
    throw new Problem(`Not ready after ${READY_WITHIN_MS / 1_000} s: ${names}. See .stack/logs`);
  });
  // The gateway stops first, so that no request is accepted that would have no service.
  const stop = async () => {
    await services.get('gateway')?.stop();
    await Promise.all([...services.values()].map((service) => service.stop()));
  };
  return { ready: Promise.race([Promise.all(each).then(() => undefined), late]), stop };
}
