import { existsSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { playDemo } from '@parley/demo';
import {
  createReleases,
  Problem,
  type Releases,
  ROOT,
  runScript,
  untilStopRequested,
} from '@parley/devstack';
import { createClock } from '@parley/kit/time';
import { bootPlatform, type Platform, type Workspace } from '@parley/testkit/stage';
import { type Browser, chromium, type Page } from 'playwright-core';
import { listOf200 } from '../stage/contact-list.ts';
import { addDay } from './day.ts';
import { callFrontDesk } from './front-desk.ts';
import { addHistory } from './history.ts';

// Boots a platform of its own, plays the demo and an inbound call in it after a month of earlier calls, takes the pictures and removes
// everything.

const CHROMIUM = '/usr/bin/chromium';
const FOLDER = join(ROOT, 'docs/images');
const SIZE = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };
/** Of one picture, and of all. */
const MAX_BYTES = 200_000;
const MAX_BYTES_OF_ALL = 2_000_000;
const SETTLE_MS = 700;
const STOPPED = 130;

type Picture = {
  name: string;
  scheme?: 'dark';
  size?: typeof PHONE;
  /** Leads to the page and waits until it shows what the picture is about. */
  open(page: Page, ids: Ids): Promise<unknown>;
};
type Ids = { agentId: string; callId: string; campaignId: string; baseId: string; runningId: string };

const PICTURES: readonly Picture[] = [
  {
    name: 'home',
    open: async (page) => {
      await visit(page, '');
      await page.getByText('How calls end').waitFor();
    },
  },
  { name: 'assistant', open: (page, { agentId }) => testAssistant(page, agentId) },
  {
    name: 'calls',
    open: async (page) => {
      await visit(page, 'calls');
      await page.locator('tr[data-link] a').first().waitFor();
    },
  },
  {
    name: 'call',
    open: async (page, { callId }) => {
      await visit(page, `calls/${callId}`);
      await page.locator('section[aria-label="Recording"] canvas').first().waitFor();
      await page
        .getByRole('button', { name: /check_availability/ })
        .first()
        .click();
    },
  },
  {
    name: 'call-webhooks',
    scheme: 'dark',
    open: async (page, { callId }) => {
      await visit(page, `calls/${callId}?tab=webhooks`);
      const event = page.getByRole('region', { name: 'call_started' });
      await event
        .getByRole('button', { name: /Delivered/ })
        .first()
        .click();
    },
  },
  {
    name: 'home-dark',
    scheme: 'dark',
    open: async (page) => {
      await visit(page, '');
      await page.getByText('How calls end').waitFor();
    },
  },
  {
    name: 'campaign',
    open: async (page, { campaignId }) => {
      await visit(page, `campaigns/${campaignId}`);
      await page.getByText('every contact has its outcome').waitFor();
    },
  },
  {
    name: 'campaign-running',
    open: async (page, { runningId }) => {
      await visit(page, `campaigns/${runningId}`);
      await page.getByText('Running', { exact: true }).waitFor();
    },
  },
  { name: 'new-campaign', open: chooseContacts },
  { name: 'numbers', open: (page) => list(page, 'numbers') },
  {
    name: 'knowledge',
    open: async (page, { baseId }) => {
      await visit(page, `knowledge/${baseId}`);
      await page.getByLabel('Search the documents').fill('What does a new tube cost?');
      await page.locator('mark').first().waitFor();
    },
  },
  { name: 'webhooks', open: (page) => list(page, 'webhooks') },
  { name: 'developers', open: (page) => list(page, 'developers') },
  { name: 'settings', open: (page) => list(page, 'settings?tab=members') },
  {
    name: 'home-phone',
    size: PHONE,
    open: async (page) => {
      await visit(page, '');
      await page.getByText('How calls end').waitFor();
    },
  },
  {
    name: 'calls-phone',
    size: PHONE,
    open: async (page) => {
      await visit(page, 'calls');
      await page.locator('main ul[aria-label="Calls"] a').first().waitFor();
    },
  },
  {
    name: 'call-phone',
    size: PHONE,
    open: async (page, { callId }) => {
      await visit(page, `calls/${callId}`);
      await page.locator('section[aria-label="Recording"] canvas').first().waitFor();
    },
  },
  {
    name: 'campaign-phone',
    size: PHONE,
    open: async (page, { campaignId }) => {
      await visit(page, `campaigns/${campaignId}`);
      await page.getByText('every contact has its outcome').waitFor();
    },
  },
];

runScript(async () => {
  if (!existsSync(CHROMIUM)) throw new Problem(`${CHROMIUM} is missing: apt-get install chromium`);
  const stopping = new AbortController();
  void untilStopRequested().then((reason) => stopping.abort(new Error(`stop requested: ${reason}`)));
  const releases = createReleases();
  try {
    await takeAll(stopping.signal, releases);
    return 0;
  } catch (error) {
    if (!stopping.signal.aborted) throw error;
    return STOPPED;
  } finally {
    await releases.run();
  }
});

async function takeAll(stopping: AbortSignal, releases: Releases): Promise<void> {
  const platform = await bootPlatform({ env: { PATH: process.env.PATH ?? '' } });
  await releases.add(platform.stop);
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  await releases.add(() => browser.close());
  const workspace = await platform.createWorkspace('Freewheel');
  await addHistory(platform, workspace.workspace_id);
  const ids = await play(platform, workspace, stopping, releases);
  const page = await signedIn(browser, platform, workspace.workspace_id);
  await mkdir(FOLDER, { recursive: true });
  let bytes = 0;
  for (const { name, scheme, size, open } of PICTURES) {
    stopping.throwIfAborted();
    await page.setViewportSize(size ?? SIZE);
    await page.emulateMedia({ colorScheme: scheme ?? 'light', reducedMotion: 'reduce' });
    await open(page, ids);
    await page.mouse.move(0, 0);
    await page.waitForTimeout(SETTLE_MS);
    bytes += await save(page, name);
  }
  if (bytes > MAX_BYTES_OF_ALL)
    throw new Problem(`All pictures have ${bytes} bytes, more than ${MAX_BYTES_OF_ALL}`);
}

/** The demo and a call; returns what the pictures show of them. */
async function play(
  platform: Platform,
  workspace: Workspace,
  stopping: AbortSignal,
  releases: Releases,
): Promise<Ids> {
  const { env } = platform.inside.campaigns;
  const clock = createClock({
    rate: Number(env.CLOCK_RATE ?? 1),
    originMs: Number(env.CLOCK_ORIGIN_MS ?? 0),
  });
  const stack = { gatewayUrl: platform.url, demo: { ...workspace, name: 'Freewheel' }, clock };
  const { results, receiver } = await playDemo(stack, stopping, releases);
  const { agent_id: agentId, campaign_id: campaignId } = results.campaign;
  const callId = await callFrontDesk(platform, workspace, receiver);
  return { agentId, campaignId, callId, ...(await addDay(platform, workspace, agentId)) };
}

async function testAssistant(page: Page, agentId: string): Promise<void> {
  await visit(page, `assistants/${agentId}`);
  const pane = page.getByRole('complementary', { name: 'Test' });
  await pane.getByLabel('contact_name').fill('Grace');
  await pane.getByLabel('bicycle').fill('cargo bike');
  await pane.getByLabel('order_number').fill('70012');
  await pane.getByRole('button', { name: 'Start the conversation' }).click();
  await pane.getByText('Hello Grace').waitFor();
  await pane.getByLabel('What you say').fill('Is there availability on Friday at 10?');
  await page.keyboard.press('Enter');
  await pane.getByRole('button', { name: /check_availability/ }).waitFor();
}

/** With the report of rows that cannot be called. */
async function chooseContacts(page: Page): Promise<void> {
  await visit(page, 'campaigns/new');
  await page.getByLabel('Name').fill('Autumn check-ups');
  await page.getByRole('combobox', { name: 'Assistant' }).click();
  await page.getByRole('option').first().click();
  await page.getByRole('combobox', { name: 'Number' }).click();
  await page.getByRole('option').first().click();
  await page.getByRole('button', { name: 'Next', exact: true }).click();
  await page.getByLabel('CSV file of contacts').setInputFiles({
    name: 'customers.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(listOf200({ name: 'Grace Hopper' })),
  });
  await page.getByText('193 contacts can be called').waitFor();
}

async function list(page: Page, path: string): Promise<void> {
  await visit(page, path);
  await page.locator('main tbody tr:not([aria-hidden])').first().waitFor();
}

async function visit(page: Page, path: string): Promise<void> {
  await page.goto(`${new URL(page.url()).origin}/dashboard/${path}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
}

async function save(page: Page, name: string): Promise<number> {
  const path = join(FOLDER, `${name}.png`);
  await page.screenshot({ path });
  const { size } = await stat(path);
  if (size > MAX_BYTES) throw new Problem(`${path} has ${size} bytes, more than ${MAX_BYTES}`);
  process.stdout.write(`${name}.png  ${Math.round(size / 1_000)} kB\n`);
  return size;
}

async function signedIn(browser: Browser, platform: Platform, workspaceId: string): Promise<Page> {
  const owner = ['--email', 'ada@freewheel.example', '--create', 'owner'];
  const { sign_in_url: link } = (await platform.parley(
    ...['member', 'link', '--workspace', workspaceId, ...owner],
  )) as { sign_in_url: string };
  const context = await browser.newContext({ viewport: SIZE, locale: 'en-GB', reducedMotion: 'reduce' });
  const page = await context.newPage();
  await page.goto(link);
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
  return page;
}
