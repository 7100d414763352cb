import { existsSync } from 'node:fs';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { realSleep } from '@parley/kit/time';
import { sqlClient } from '@parley/testkit';
import { runBench } from '@parley/testkit/load';
import { bootPlatform, createApi, type Platform, type Workspace } from '@parley/testkit/stage';
import type { Page } from 'playwright-core';
import { seed } from './call-reads/seed.ts';
import { clickUntil, firstLoadMs, type OpenPage, openDashboard } from './dashboard/browser.ts';

// The dashboard in Debian's Chromium, on a complete platform: first loads with an empty cache; opening the list of a million calls,
// compared with one of a thousand; changing pages with warm caches; CPU time of a page during a campaign of 100 calls a second, compared
// with the same page before it. CALLS: length of the long list. Requires Postgres, Redis, RabbitMQ and Chromium; cleans up after itself.

const CALLS = Number(process.env.CALLS ?? 1_000_000);
const FEW_CALLS = 1_000;
const LOAD_BAR_MS = 1_000;
const LIST_BAR_MS = 500;
const CHANGE_BAR_MS = 100;
const LOADS = 5;
const ROUNDS = 4;
const CALLS_PER_SECOND = 100;
const PROCESSOR_BAR = 0.3;
const WARM_UP_MS = 8_000;
const WATCH_MS = 15_000;
const PAUSE_MS = 400;

const NAV = (path: string) => `nav a[href="/dashboard/${path}"]`;
const CALL_ROW = "document.querySelector('tr[data-link] a')";
/** With its data: neither a skeleton nor a former page. */
const PAGE = (title: string) => `document.querySelector('main h1')?.textContent.startsWith('${title}')
  && !document.querySelector('main .mantine-Skeleton-root, main [role=status] .mantine-Loader-root')`;
const PAGES: readonly [path: string, title: string][] = [
  ['assistants', 'Assistants'],
  ['tools', 'Tools'],
  ['knowledge', 'Knowledge'],
  ['numbers', 'Numbers'],
  ['calls', 'Calls'],
  ['campaigns', 'Campaigns'],
  ['webhooks', 'Webhooks'],
  ['developers', 'Developers'],
  ['settings', 'Settings'],
];

async function bench(lifecycle: Lifecycle): Promise<boolean> {
  if (!existsSync('/usr/bin/chromium')) throw new Error('chromium is not installed');
  const platform = await bootPlatform();
  lifecycle.onStop('platform', platform.stop);
  const many = await platform.createWorkspace('Many calls');
  const few = await platform.createWorkspace('Few calls');
  console.log(`Seeding ${CALLS.toLocaleString('en')} calls …`);
  const sql = sqlClient(platform.inside.telephony.env.DATABASE_URL ?? '');
  const sizes = new Map([
    [many.workspace_id, CALLS],
    [few.workspace_id, FEW_CALLS],
  ]);
  await seed(sql, sizes);
  await sql.close();
  const short = await openDashboard(platform, few.workspace_id, lifecycle);
  const ofFewMs = await openListMs(short);
  await short.browser.close();
  const long = await openDashboard(platform, many.workspace_id, lifecycle);
  const met = [await loadFirst(platform, long), await openList(long, ofFewMs), await changePages(long)];
  await long.browser.close();

  const busy = await platform.createWorkspace('Busy');
  const campaign = await draftCampaign(platform, busy);
  const opened = await openDashboard(platform, busy.workspace_id, lifecycle);
  return [...met, await watchLive(platform, opened, campaign)].every(Boolean);
}

async function loadFirst(platform: Platform, { browser, page }: OpenPage): Promise<boolean> {
  const pages: [name: string, path: string, shown: string, session?: Page][] = [
    ['sign-in', 'sign-in', `document.querySelector('input[type=password]')`],
    ['list of calls', 'calls', CALL_ROW, page],
    ['home', '', PAGE('Home'), page],
  ];
  const met: boolean[] = [];
  for (const [name, path, shown, session] of pages) {
    const loads: number[] = [];
    for (let n = 0; n < LOADS; n += 1)
      loads.push(await firstLoadMs(browser, `${platform.url}/dashboard/${path}`, shown, session));
    met.push(reportMedian(`first load of ${name}, interactive`, loads, LOAD_BAR_MS));
  }
  return met.every(Boolean);
}

async function openListMs({ page }: OpenPage): Promise<number> {
  // Hovering over the link preloads the page's chunk, as for a user.
  await page.locator(NAV('calls')).hover();
  await realSleep(1_500);
  return clickUntil(page, NAV('calls'), CALL_ROW);
}

async function openList(long: OpenPage, ofFewMs: number): Promise<boolean> {
  const opened = await openListMs(long);
  const measured = `${opened.toFixed(0)} ms; of ${FEW_CALLS.toLocaleString('en')} calls: ${ofFewMs.toFixed(0)} ms`;
  return report(`list of ${CALLS.toLocaleString('en')} calls opens`, measured, opened, LIST_BAR_MS);
}

async function changePages({ page }: OpenPage): Promise<boolean> {
  const changes = new Map<string, number[]>();
  for (let round = 0; round <= ROUNDS; round += 1)
    for (const [path, title] of PAGES) {
      const spent = await clickUntil(page, NAV(path), PAGE(title));
      // The first round warms the caches.
      if (round > 0) changes.set(title, [...(changes.get(title) ?? []), spent]);
      await realSleep(PAUSE_MS);
    }
  return [...changes]
    .map(([title, spent]) => reportMedian(`page change, warm: ${title}`, spent, CHANGE_BAR_MS))
    .every(Boolean);
}

type Campaign = { id: string; start(): Promise<unknown> };

/** Contacts who hang up immediately, more than can be called during the measurement. */
async function draftCampaign(platform: Platform, workspace: Workspace): Promise<Campaign> {
  const api = createApi(platform.url, workspace.private_key);
  const limits = ['--max-live-calls', '5000'];
  await platform.parley('workspace', 'set', '--workspace', workspace.workspace_id, ...limits);
  const assistant = await api.data('POST', '/v1/assistant', {
    agent_name: 'Ada',
    config: { firstMessage: 'Hello {{contact_name}}' },
  });
  await api.data('POST', '/v1/phone-number/sip', {
    phone_number: '+15550160001',
    termination_uri: 'sip.example.com',
    outbound_agent_id: assistant.id,
    max_cps: CALLS_PER_SECOND,
  });
  const contacts = Array.from({ length: 9_000 }, (_, i) => ({
    phone_number: `+1555${String(i).padStart(5, '0')}0008`,
    contact_name: `Person ${i}`,
  }));
  const made = await api.data('POST', '/v1/campaigns', {
    campaign_name: 'Live',
    agent_id: assistant.id,
    phone_number: '+15550160001',
    contacts,
  });
  const { campaign_id: id } = made;
  return { id, start: () => api.data('POST', `/v1/campaigns/${id}/resume`) };
}

async function watchLive(platform: Platform, opened: OpenPage, campaign: Campaign): Promise<boolean> {
  const pages = [
    ['campaign page', `campaigns/${campaign.id}`],
    ['list of calls', 'calls'],
  ] as const;
  const before: Watched[] = [];
  for (const [, path] of pages) before.push(await watch(platform, opened, path));
  await campaign.start();
  const met: boolean[] = [];
  for (const [i, [name, path]] of pages.entries()) {
    const { share, rate } = await watch(platform, opened, path);
    const idle = percent(before[i]?.share ?? Number.NaN);
    const measured = `${percent(share)} of a core at ${rate.toFixed(0)} calls a second; idle: ${idle}`;
    met.push(report(`${name}, live`, measured, share, PROCESSOR_BAR));
  }
  return met.every(Boolean);
}

type Watched = {
  /** Of a core. */
  share: number;
  /** New calls a second. */
  rate: number;
};

/** What a page costs that is only looked at. */
async function watch(platform: Platform, opened: OpenPage, path: string): Promise<Watched> {
  await opened.page.goto(`${platform.url}/dashboard/${path}`);
  await opened.page.getByRole('heading', { level: 1 }).waitFor();
  await realSleep(WARM_UP_MS);
  const before = await callsSoFar(platform);
  const [usedBefore, startedAt] = [await opened.processorMs(), performance.now()];
  await realSleep(WATCH_MS);
  const spentMs = performance.now() - startedAt;
  const share = ((await opened.processorMs()) - usedBefore) / spentMs;
  return { share, rate: ((await callsSoFar(platform)) - before) / (spentMs / 1000) };
}

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

async function callsSoFar(platform: Platform): Promise<number> {
  const [row] = await platform.query<{ count: string }>(
    'telephony',
    'SELECT count(*) FROM calls WHERE from_number = $1',
    '+15550160001',
  );
  return Number(row?.count ?? 0);
}

function reportMedian(what: string, spentMs: readonly number[], bar: number): boolean {
  const sorted = spentMs.toSorted((a, b) => a - b);
  const [median = Number.NaN, slowest = Number.NaN] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
  return report(what, `${median.toFixed(0)} ms, slowest ${slowest.toFixed(0)} ms`, median, bar);
}

function report(what: string, measured: string, value: number, bar: number): boolean {
  const isMet = value <= bar;
  const limit = bar < 1 ? `${bar * 100} %` : `${bar} ms`;
  console.log(`${what.padEnd(40)} ${measured.padEnd(56)} bar ${limit}: ${isMet ? 'met' : 'MISSED'}`);
  return isMet;
}

await runBench(bench);
