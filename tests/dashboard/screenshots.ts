import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  demoFile,
  inStack,
  Problem,
  ROOT,
  readEnvironment,
  readJsonFile,
  runProgram,
  runScript,
  serviceFolder,
} from '@parley/devstack';
import { type Browser, chromium, type Page } from 'playwright-core';

// `npm run screenshots`: pictures of the dashboard's main pages for README and docs, from the data of `npm run demo`, in the stack that
// `npm start` runs.

const CHROMIUM = '/usr/bin/chromium';
const FOLDER = join(ROOT, 'docs/images');
const SIZE = { width: 1200, height: 750 };
const MAX_BYTES = 150_000;
const SETTLE_MS = 1_500;

const PAGES: readonly { name: string; path: string; scheme?: 'dark'; follow?: string }[] = [
  { name: 'home', path: '' },
  { name: 'assistants', path: 'assistants' },
  { name: 'assistant', path: 'assistants', follow: 'main a[href*="/assistants/"]' },
  { name: 'calls', path: 'calls' },
  { name: 'call', path: 'calls', follow: 'main table a[href*="/calls/"]' },
  { name: 'campaign', path: 'campaigns', follow: 'main table a[href*="/campaigns/"]' },
  { name: 'webhooks', path: 'webhooks' },
  { name: 'developers-dark', path: 'developers', scheme: 'dark' },
];

runScript(async () => {
  const demo = readJsonFile(inStack('demo.json'), demoFile);
  if (!demo) throw new Problem('Start a stack first, in another terminal: npm start; then run npm run demo');
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  try {
    const page = await signedIn(browser, await signInLink(demo.workspace_id));
    await mkdir(FOLDER, { recursive: true });
    for (const { name, path, scheme, follow } of PAGES) {
      await page.emulateMedia({ colorScheme: scheme ?? 'light', reducedMotion: 'reduce' });
      await page.goto(`${new URL(page.url()).origin}/dashboard/${path}`);
      await page.waitForTimeout(SETTLE_MS);
      if (follow) await page.locator(follow).first().click();
      await page.waitForTimeout(SETTLE_MS);
      await save(page, name);
    }
  } finally {
    await browser.close();
  }
  return 0;
});

async function save(page: Page, name: string): Promise<void> {
  const path = join(FOLDER, `${name}.png`);
  await page.screenshot({ path });
  const { size } = await stat(path);
  const note = size > MAX_BYTES ? `, more than ${MAX_BYTES / 1_000} kB` : '';
  process.stdout.write(`${name}.png  ${Math.round(size / 1_000)} kB${note}\n`);
}

async function signedIn(browser: Browser, url: string): Promise<Page> {
  const context = await browser.newContext({ viewport: SIZE, locale: 'en-GB', reducedMotion: 'reduce' });
  const page = await context.newPage();
  await page.goto(url);
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
  return page;
}

/** Of the owner of the workspace `demo`. */
async function signInLink(workspaceId: string): Promise<string> {
  const cli = join(serviceFolder('gateway'), 'dist/cli.js');
  const args = [cli, 'member', 'link', '--workspace', workspaceId, '--email', 'owner@demo.local'];
  const env = { ...process.env, ...readEnvironment().services.gateway };
  const { ok, stdout, stderr } = await runProgram(process.execPath, [...args, '--create', 'owner'], { env });
  if (!ok) throw new Problem(stderr);
  return (JSON.parse(stdout) as { sign_in_url: string }).sign_in_url;
}
