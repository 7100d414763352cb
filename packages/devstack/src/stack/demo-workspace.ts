import { z } from 'zod';
import { runProgram } from '../processes/run-program.ts';
import { Problem } from '../terminal/problem.ts';
import type { Environment } from './environment.ts';
import { readJsonFile, writeJsonFile } from './json-file.ts';

/** The line that `workspace create` prints. */
export const demoFile = z.object({
  workspace_id: z.string(),
  name: z.string(),
  private_key: z.string(),
  public_key: z.string(),
  webhook_secret: z.string(),
  /** Signs the owner in once; each `npm start` makes another one. */
  dashboard_url: z.string().optional(),
});

export type Demo = z.output<typeof demoFile>;

/** The person that the link of `npm start` signs in. */
const DEMO_OWNER = 'owner@demo.local';

type Input = { path: string; gatewayUrl: string; cli: string; env: Environment };

/** The workspace `demo`: the stored one if its keys still work, otherwise a new one. */
export async function openDemoWorkspace({ path, gatewayUrl, cli, env }: Input): Promise<Demo> {
  const kept = readJsonFile(path, demoFile);
  if (kept && (await isAccepted(gatewayUrl, kept.private_key))) return kept;

  const args = [cli, 'workspace', 'create', '--name', 'demo'];
  const result = await runProgram(process.execPath, args, { env: { ...process.env, ...env } });
  if (!result.ok) throw new Problem(`The workspace "demo" could not be created: ${result.stderr.trim()}`);
  const demo = demoFile.parse(JSON.parse(result.stdout));
  writeJsonFile(path, demo);
  return demo;
}

const signInLink = z.object({ sign_in_url: z.string() });

/** A link that signs in the owner of `demo` once [dashboard.5], which is kept in the file as well; undefined if it cannot be created, which is not an error. */
export async function openSignInLink(
  demo: Demo,
  { path, cli, env }: Omit<Input, 'gatewayUrl'>,
): Promise<string | undefined> {
  const args = [
    cli,
    'dashboard',
    'link',
    '--workspace',
    demo.workspace_id,
    '--email',
    DEMO_OWNER,
    '--create',
    'owner',
  ];
  const result = await runProgram(process.execPath, args, { env: { ...process.env, ...env } });
  const url = result.ok ? signInLink.parse(JSON.parse(result.stdout)).sign_in_url : undefined;
  writeJsonFile(path, { ...demo, dashboard_url: url });
  return url;
}

/** False if the gateway rejects the key; true if the gateway is not running. */
async function isAccepted(gatewayUrl: string, key: string): Promise<boolean> {
  const headers = { authorization: `Bearer ${key}` };
  const signal = AbortSignal.timeout(5_000);
  try {
    const response = await fetch(`${gatewayUrl}/v1/campaigns?limit=1`, { headers, signal });
    await response.body?.cancel();
    return response.status !== 401;
  } catch {
    return true;
  }
}
