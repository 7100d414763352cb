import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startInBackground } from '../processes/background.ts';
import { anyFreePort } from '../processes/ports.ts';
import { runProgram } from '../processes/run-program.ts';
import { isComplete, markComplete } from './completion.ts';
import { findProgram, serverProgram } from './installed-program.ts';
import { launch, type PrivateSetting, withDeathSignal } from './private-server.ts';
import type { RunningServer } from './server-kinds.ts';

export type PrivateRabbitmq = RunningServer & {
  /** Runs `rabbitmqctl` with these arguments. */
  control(...args: string[]): Promise<void>;
};

/**
 * A RabbitMQ of our own: node name, ports, folders, cookie and configuration are separate from any other on the machine. We also start
 * Erlang's name server: one that Erlang starts would outlive us.
 */
export async function startPrivateRabbitmq(setting: PrivateSetting): Promise<PrivateRabbitmq> {
  const { folder, password, name } = setting;
  isComplete(folder, join(folder, 'data')); // An incomplete one lacks its user and would always reject us.
  const port = setting.port ?? (await anyFreePort());
  const [distributionPort, epmdPort] = [await anyFreePort(), await anyFreePort()];
  const file = (leaf: string, text: string) => {
    writeFileSync(join(folder, leaf), text, { mode: 0o600 });
    return join(folder, leaf);
  };
  const config = [
    `listeners.tcp.local = 127.0.0.1:${port}`,
    'default_user = parley',
    `default_pass = ${password}`,
    'disk_free_limit.absolute = 50MB',
    '',
  ];
  const env = {
    ...process.env,
    HOME: folder, // Erlang creates its cookie there.
    ERL_EPMD_ADDRESS: '127.0.0.1',
    ERL_EPMD_PORT: String(epmdPort),
    RABBITMQ_NODENAME: `${name}@localhost`,
    RABBITMQ_DIST_PORT: String(distributionPort),
    RABBITMQ_MNESIA_BASE: join(folder, 'data'),
    RABBITMQ_LOG_BASE: join(folder, 'log'),
    RABBITMQ_SCHEMA_DIR: join(folder, 'schema'),
    RABBITMQ_GENERATED_CONFIG_DIR: join(folder, 'config'),
    RABBITMQ_CONFIG_FILE: file('rabbitmq.conf', config.join('\n')),
    RABBITMQ_CONFIG_FILES: join(folder, 'conf.d/*.conf'),
    RABBITMQ_CONF_ENV_FILE: file('rabbitmq-env.conf', ''),
    RABBITMQ_ENABLED_PLUGINS_FILE: file('enabled_plugins', '[].\n'),
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '-kernel inet_dist_use_interface {127,0,0,1}',
    // Makes the script exec the server, so that our signals reach it.
    RUNNING_UNDER_SYSTEMD: 'true',
  };

  const stopEpmd = startEpmd(epmdPort, setting);
  const url = `amqp://parley:${password}@127.0.0.1:${port}`;
  const stop = await launch(
    {
      kind: 'rabbitmq',
      command: [serverProgram('rabbitmq') ?? 'rabbitmq-server'],
      env,
      logFile: join(folder, 'rabbitmq.log'),
      stopSignal: 'SIGTERM',
      marker: folder,
    },
    url,
    setting,
  ).catch(async (error: unknown) => {
    await stopEpmd();
    throw error;
  });
  markComplete(folder);
  const about = `private, 127.0.0.1:${port}`;
  const control = async (...args: string[]): Promise<void> => {
    const program = findProgram('rabbitmqctl', ['/usr/lib/rabbitmq/bin']) ?? 'rabbitmqctl';
    const { ok, stdout, stderr } = await runProgram(program, args, { env });
    if (!ok) throw new Error(`rabbitmqctl ${args.join(' ')}: ${stdout}${stderr}`);
  };
  return { kind: 'rabbitmq', url, about, stop: () => stop().then(stopEpmd), control };
}

function startEpmd(port: number, { folder, pidFiles }: PrivateSetting): () => Promise<void> {
  const program = findProgram('epmd');
  if (!program) return async () => undefined; // Erlang starts its own.
  const args = ['-address', '127.0.0.1', '-port', String(port)];
  const epmd = startInBackground(withDeathSignal('SIGTERM', [program, ...args]), {
    logFile: join(folder, 'epmd.log'),
  });
  pidFiles.add('epmd', epmd.pid, `-port ${port}`);
  return async () => {
    await epmd.stop('SIGTERM', 2_000);
    pidFiles.remove('epmd');
  };
}
