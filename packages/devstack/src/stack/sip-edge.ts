import { mkdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { listItems } from '@parley/kit/config';
import { edgeCommand } from '@parley/sip-edge';
import { type Background, lastLines, rotateLog, startInBackground } from '../processes/background.ts';
import type { PidFiles } from '../processes/pid-files.ts';
import { anyFreePort, isPortFree } from '../processes/ports.ts';
import type { Releases } from '../processes/releases.ts';
import { findProgram } from '../servers/installed-program.ts';
import { withDeathSignal } from '../servers/private-server.ts';
import { Problem } from '../terminal/problem.ts';
import type { Hint, Steps } from '../terminal/steps.ts';
import type { Environment } from './environment.ts';
import { inStack } from './folders.ts';
import { answersOk } from './readiness.ts';
import { failuresInRow, restartDelayMs } from './restart-delay.ts';

const LOOPBACK = '127.0.0.1';
const READY_WITHIN_MS = 15_000;
const STOP_WITHIN_MS = 5_000;
const PACKAGES = 'kamailio kamailio-websocket-modules kamailio-tls-modules';

/** The port of SIP for carriers, UDP and TCP [sip.39]. Throws a `Problem` if it is taken: trunks are configured with it, so no other one will do. */
export async function sipPort(env: NodeJS.ProcessEnv): Promise<number> {
  const given = env.SIP_PORT || '5060';
  const port = Number(given);
  if (!/^\d+$/.test(given) || port < 1 || port > 65_535)
    throw new Problem(`SIP_PORT must be a port from 1 to 65535, but is "${given}".`);
  if (await isPortFree(port)) return port;
  throw new Problem(
    `Port ${port} is taken by another program. Stop it, or move SIP: SIP_PORT=${port + 1000} npm start -- --sip`,
  );
}

/** The path of Kamailio. Throws a `Problem` that names the packages to install if there is none. */
export function kamailioProgram(): string {
  const program = findProgram('kamailio');
  if (program) return program;
  throw new Problem(
    `SIP needs Kamailio, which is not installed. On Debian or Ubuntu: apt-get install --no-install-recommends ${PACKAGES}\n` +
      'Without it, workers can speak TCP and TLS to trunks themselves: docs/sip.md.',
  );
}

type Input = { port: number; given: NodeJS.ProcessEnv; pidFiles: PidFiles };

/** Starts the SIP edge on loopback beside the stack, and keeps it running. Returns the settings of telephony for it. */
export function startSipEdge(
  { port, given, pidFiles }: Input,
  steps: Steps,
  releases: Releases,
): Promise<Environment> {
  return steps.step('SIP', async (hint: Hint) => {
    const program = kamailioProgram();
    const internalPort = await anyFreePort();
    const runFolder = inStack('servers', 'sip-edge');
    mkdirSync(runFolder, { recursive: true });
    const command = edgeCommand({
      address: LOOPBACK,
      port,
      internalAddress: LOOPBACK,
      internalPort,
      privateNetworks: listItems(given.OUTBOUND_ALLOW_CIDRS ?? '127.0.0.0/8,::1/128'),
      sources: listItems(given.EDGE_SOURCES ?? ''),
      runFolder,
    });
    hint(`Kamailio at ${LOOPBACK}:${port}`);
    const edge = keepRunning([program, ...command], pidFiles, steps.print);
    await releases.add(edge.stop);
    await edge.untilReady(`http://${LOOPBACK}:${internalPort}/healthz`, releases.signal);
    return {
      CARRIERS: given.CARRIERS || 'sip,simulator',
      SIP_EDGE_URL: `ws://${LOOPBACK}:${internalPort}`,
      // Workers have no listener for trunks: the edge has this port.
      SIP_PORT: '',
      RTP_PORT_MIN: given.RTP_PORT_MIN || '20000',
      RTP_PORT_MAX: given.RTP_PORT_MAX || '20999',
    };
  });
}

/** Kills the rest of Kamailio's process group: its children outlive a main process that was killed, and keep its ports. */
function endChildren(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // There are none.
  }
}

/** Restarts the edge whenever it dies. */
function keepRunning(command: [string, ...string[]], pidFiles: PidFiles, print: (line: string) => void) {
  const logFile = inStack('logs', 'sip-edge.log');
  const stopping = new AbortController();
  let current: Background | undefined;
  rotateLog(logFile);
  const run = async (): Promise<void> => {
    for (let failures = 0; !stopping.signal.aborted; ) {
      const began = performance.now();
      current = startInBackground(withDeathSignal('SIGTERM', command), { logFile });
      pidFiles.add('sip-edge', current.pid, 'sip-edge/kamailio.cfg');
      const { code, signal } = await current.exited;
      endChildren(current.pid);
      if (stopping.signal.aborted) return;
      failures = failuresInRow(failures, performance.now() - began);
      print(`  the SIP edge has died (${signal ?? `exit ${code}`}), starting it again`);
      await sleep(restartDelayMs(failures), undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const running = run();
  const stop = async () => {
    stopping.abort();
    await current?.stop('SIGTERM', STOP_WITHIN_MS);
    await running;
    if (current) endChildren(current.pid);
    pidFiles.remove('sip-edge');
  };
  const untilReady = async (url: string, signal: AbortSignal) => {
    const giveUpAt = performance.now() + READY_WITHIN_MS;
    while (!(await answersOk(url))) {
      if (performance.now() > giveUpAt)
        throw new Problem(`${lastLines(logFile)}\n\nThe SIP edge does not start. See ${logFile}`);
      await sleep(50, undefined, { signal });
    }
  };
  return { stop, untilReady };
}
