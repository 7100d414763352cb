import { buildAll } from '../build/build.ts';
import { bundleOf, bundleServices, CLI } from '../build/service-bundles.ts';
import { createPidFiles, type PidFiles } from '../processes/pid-files.ts';
import type { Releases } from '../processes/releases.ts';
import { type Provisioned, provision } from '../servers/provision.ts';
import type { Steps } from '../terminal/steps.ts';
import { publicPort } from './choose-ports.ts';
import { clockOrigin } from './clock-origin.ts';
import { openDemoWorkspace, openSignInLink } from './demo-workspace.ts';
import { inStack, ROOT } from './folders.ts';
import { migrateAll } from './migrate-all.ts';
import type { ServiceName } from './services.ts';
import { kamailioProgram, sipPort, startSipEdge } from './sip-edge.ts';
import { ignoredSecrets, openStack, type Stack } from './stack-file.ts';
import { startServices } from './start-services.ts';
import { welcome } from './welcome.ts';

/** Starts the platform step by step. Resources are registered with `releases` [running.6]. */
export async function bringUp(
  steps: Steps,
  releases: Releases,
  { without, sip }: { without: ReadonlySet<ServiceName>; sip: boolean },
): Promise<void> {
  const originMs = clockOrigin(inStack('clock.json'), process.env.CLOCK_RATE || '1', Date.now());
  const began = performance.now();
  const stack = openStack(inStack('stack.json'), process.env);
  const ignored = ignoredSecrets(process.env, stack);
  if (ignored) steps.print(ignored);
  const pidFiles = createPidFiles(inStack('pids'));
  const left = await pidFiles.killLeftovers();
  if (left.length > 0) steps.print(`  Ended processes left by a crashed start: ${left.join(', ')}`);
  const gatewayPort = await publicPort(process.env);
  if (sip) kamailioProgram();
  const port = sip ? await sipPort(process.env) : undefined;

  // Await both even if one fails: nothing may start after the shutdown.
  const [servers, build] = await Promise.allSettled([
    provisionStack(stack, pidFiles, steps, releases),
    steps.step('Build', async (hint) => {
      await buildAll(hint);
      await bundleServices();
    }),
  ]);
  if (servers.status === 'rejected') throw servers.reason;
  if (build.status === 'rejected') throw build.reason;
  const { urls } = servers.value;
  await steps.step('Databases', (hint) => migrateAll(urls.postgres, stack.name, hint));

  const edge = port ? await startSipEdge({ port, given: process.env, pidFiles }, steps, releases) : {};
  const starting = { edge, stack, urls, gatewayPort, originMs, without, pidFiles };
  const { services, gatewayUrl } = await startServices(starting, steps, releases);
  const { demo, signInUrl } = await steps.step('Workspace', async (hint) => {
    hint('demo');
    const by = { cli: bundleOf(CLI), env: services.gateway };
    const path = inStack('demo.json');
    const demo = await openDemoWorkspace({ path, gatewayUrl, ...by });
    return { demo, signInUrl: await openSignInLink(demo, { path, ...by }) };
  });
  steps.print(welcome({ gatewayUrl, demo, signInUrl, sipPort: port, tookMs: performance.now() - began }));
}

async function provisionStack(
  stack: Stack,
  pidFiles: PidFiles,
  steps: Steps,
  releases: Releases,
): Promise<Provisioned> {
  const { name, serverPassword: password } = stack;
  const { signal } = releases;
  const folder = inStack('servers');
  const setting = { root: ROOT, folder, name, password, keepData: true, pidFiles, signal };
  const provisioned = await provision(setting, steps);
  await releases.add(provisioned.stop);
  return provisioned;
}
