import { chmodSync, mkdirSync } from 'node:fs';
import { Problem } from '../terminal/problem.ts';
import type { Steps } from '../terminal/steps.ts';
import { agreeToInstall } from './agree-to-install.ts';
import { installWithApt } from './apt.ts';
import { chooseSource, type Source } from './choose-source.ts';
import { startWithCompose } from './compose.ts';
import { thisMachine } from './machine.ts';
import type { PrivateSetting } from './private-server.ts';
import { type RunningServer, SERVER_KINDS, SERVERS, type ServerKind } from './server-kinds.ts';
import { startServer } from './start-server.ts';

export type Provisioned = {
  urls: Record<ServerKind, string>;
  /** Stops the servers that were started for us, and no others. */
  stop(): Promise<void>;
};

/** `folder` is the parent of the folders of private servers; `name` is also the project name of docker compose. */
export type ProvisionSetting = PrivateSetting & {
  root: string;
  /** Run privately if the program is installed, even if one is running at the usual port. */
  preferPrivate?: readonly ServerKind[];
};

/** Finds or starts Postgres, Redis and RabbitMQ, each with the first method that works on this machine. */
export async function provision(setting: ProvisionSetting, steps: Steps): Promise<Provisioned> {
  const began = performance.now();
  const sources = await chooseAll(setting.preferPrivate ?? []);
  const by = (type: Source['type']) => SERVER_KINDS.filter((kind) => sources[kind].type === type);
  await install(by('apt'), steps);
  mkdirSync(setting.folder, { recursive: true });
  chmodSync(setting.folder, 0o711); // Postgres may have to run as another user.

  const running: RunningServer[] = [];
  const failed = new AbortController();
  const signal = AbortSignal.any([setting.signal, failed.signal]);
  const startOne = (kind: ServerKind) =>
    steps.step(
      SERVERS[kind].title,
      async (hint) => {
        const server = await startServer(kind, sources[kind], { ...setting, signal }, hint);
        running.push(server);
        hint(server.about);
      },
      began,
    );
  const startComposed = (kinds: ServerKind[]) =>
    steps.step('Docker', async (hint) => {
      hint(`starting ${kinds.join(', ')} with docker compose`);
      const { root, name, keepData } = setting;
      running.push(...(await startWithCompose(kinds, { root, project: name, keepData })));
    });
  const stop = async () => {
    await Promise.all(running.splice(0).map((server) => server.stop()));
  };

  const composed = by('compose');
  const starts = SERVER_KINDS.filter((kind) => !composed.includes(kind)).map(startOne);
  if (composed.length > 0) starts.push(startComposed(composed));
  try {
    await Promise.all(starts);
  } catch (error) {
    failed.abort();
    await Promise.allSettled(starts);
    await stop();
    throw error;
  }
  const urlOf = (kind: ServerKind) => running.find((server) => server.kind === kind)?.url ?? '';
  return { urls: { postgres: urlOf('postgres'), redis: urlOf('redis'), rabbitmq: urlOf('rabbitmq') }, stop };
}

async function chooseAll(preferred: readonly ServerKind[]): Promise<Record<ServerKind, Source>> {
  const machine = thisMachine(process.env);
  const choose = (kind: ServerKind) =>
    chooseSource(kind, machine, { preferPrivate: preferred.includes(kind) });
  const [postgres, redis, rabbitmq] = await Promise.all([
    choose('postgres'),
    choose('redis'),
    choose('rabbitmq'),
  ]);
  const sources = { postgres, redis, rabbitmq };
  const problems = SERVER_KINDS.flatMap((kind) => whyNone(kind, sources[kind]));
  if (problems.length > 0) throw new Problem(problems.join('\n\n'));
  return sources;
}

function whyNone(kind: ServerKind, source: Source): string[] {
  if (source.type !== 'none') return [];
  const { title, variable, packages } = SERVERS[kind];
  const advice =
    `Install it (package ${packages}; on a Mac: brew install ${kind === 'postgres' ? 'postgresql' : kind}), ` +
    `start Docker, or set ${variable} to the URL of a running one.`;
  const tried = source.tried.map((why) => `  - ${why}`);
  return [[`${title} is missing and could not be started:`, ...tried, advice].join('\n')];
}

async function install(kinds: ServerKind[], steps: Steps): Promise<void> {
  if (kinds.length === 0) return;
  const packages = kinds.map((kind) => SERVERS[kind].packages);
  if (!(await agreeToInstall(packages, { env: process.env, input: process.stdin }))) {
    throw new Problem(
      `Nothing was installed. Set ${kinds.map((kind) => SERVERS[kind].variable).join(', ')} to running servers, or start Docker.`,
    );
  }
  await steps.step('apt', async (hint) => {
    hint(`installing ${packages.join(', ')} as root`);
    await installWithApt(kinds);
  });
}
