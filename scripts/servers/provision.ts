import { chmodSync, mkdirSync } from 'node:fs';
import { Problem } from '../terminal/problem.ts';
import type { Hint, Steps } from '../terminal/steps.ts';
import { installWithApt } from './apt.ts';
import { type Choice, chooseWay } from './choose-way.ts';
import { startWithCompose } from './compose.ts';
import { waitForGiven } from './given-server.ts';
import { thisMachine } from './machine.ts';
import { startPrivatePostgres } from './private-postgres.ts';
import { startPrivateRabbitmq } from './private-rabbitmq.ts';
import { startPrivateRedis } from './private-redis.ts';
import type { PrivateSetting } from './private-server.ts';
import { type RunningServer, SERVER_KINDS, SERVERS, type ServerKind } from './server-kinds.ts';

export type Provisioned = {
  urls: Record<ServerKind, string>;
  /** Stops what was started for us, and leaves alone what was there before. */
  stop(): Promise<void>;
};

export type ProvisionSetting = {
  root: string;
  /** Private servers run in folders of their kind below this one. */
  folder: string;
  /** Names private nodes and compose projects. */
  name: string;
  password: string;
  keepData: boolean;
  pidFiles: PrivateSetting['pidFiles'];
};

const PRIVATE = { postgres: startPrivatePostgres, redis: startPrivateRedis, rabbitmq: startPrivateRabbitmq };

/** Finds or starts Postgres, Redis and RabbitMQ, each in the first way that works here. spec: D11 */
export async function provision(setting: ProvisionSetting, steps: Steps): Promise<Provisioned> {
  const machine = thisMachine(process.env);
  const choices = new Map<ServerKind, Choice>();
  await Promise.all(SERVER_KINDS.map(async (kind) => choices.set(kind, await chooseWay(kind, machine))));
  const by = (way: Choice['way']) => SERVER_KINDS.filter((kind) => choices.get(kind)?.way === way);
  if (by('none').length > 0)
    throw new Problem(
      by('none')
        .map((kind) => nothingWorks(kind, choices))
        .join('\n\n'),
    );

  mkdirSync(setting.folder, { recursive: true });
  chmodSync(setting.folder, 0o711); // Postgres may have to run as another user
  const running: RunningServer[] = [];
  const stop = async () => {
    await Promise.all(running.splice(0).map((server) => server.stop()));
  };
  const show = (kind: ServerKind, start: (hint: Hint) => Promise<RunningServer>) =>
    steps.step(SERVERS[kind].title, async (hint) => {
      const server = await start(hint);
      running.push(server);
      hint(server.about);
    });

  const missing = by('apt');
  if (missing.length > 0) {
    await steps.step('apt', async (hint) => {
      hint(`installing ${missing.map((kind) => SERVERS[kind].packages).join(', ')}`);
      await installWithApt(missing);
    });
  }
  const viaCompose = by('compose');
  const startCompose = async () => {
    if (viaCompose.length === 0) return;
    await steps.step('Docker', async (hint) => {
      hint(`starting ${viaCompose.join(', ')} with docker compose`);
      const { root, name, keepData } = setting;
      running.push(...(await startWithCompose(viaCompose, { root, project: name, keepData })));
    });
  };
  const starts = SERVER_KINDS.flatMap((kind) => {
    const choice = choices.get(kind);
    if (choice?.way === 'compose' || choice === undefined) return [];
    return [show(kind, (hint) => begin(kind, choice, setting, hint))];
  });
  const results = await Promise.allSettled([...starts, startCompose()]);
  const failure = results.find((result) => result.status === 'rejected');
  if (failure) {
    await stop();
    throw failure.reason;
  }
  const urlOf = (kind: ServerKind) => running.find((server) => server.kind === kind)?.url ?? '';
  return { urls: { postgres: urlOf('postgres'), redis: urlOf('redis'), rabbitmq: urlOf('rabbitmq') }, stop };
}

async function begin(
  kind: ServerKind,
  choice: Choice,
  setting: ProvisionSetting,
  hint: Hint,
): Promise<RunningServer> {
  const stop = async () => undefined;
  if (choice.way === 'environment') {
    hint(`waiting for the one of ${SERVERS[kind].variable}`);
    const version = await waitForGiven(kind, choice.url);
    return { kind, url: choice.url, about: `${version}, from ${SERVERS[kind].variable}`, stop };
  }
  if (choice.way === 'local') {
    const about = `${choice.version}, already running at 127.0.0.1:${SERVERS[kind].usualPort}`;
    return { kind, url: choice.url, about, stop };
  }
  hint('starting a private one');
  const { folder, name, password, keepData, pidFiles } = setting;
  return PRIVATE[kind]({ folder: `${folder}/${kind}`, name, password, keepData, pidFiles });
}

function nothingWorks(kind: ServerKind, choices: Map<ServerKind, Choice>): string {
  const choice = choices.get(kind);
  const { title, variable, packages } = SERVERS[kind];
  const tried = choice?.way === 'none' ? choice.tried : [];
  return [
    `${title} is missing, and no way to get it works here:`,
    ...tried.map((why) => `  - ${why}`),
    `Do one of these: install it (package ${packages}; on a Mac: brew install ${kind}), start Docker, ` +
      `or set ${variable} to the URL of one that runs.`,
  ].join('\n');
}
