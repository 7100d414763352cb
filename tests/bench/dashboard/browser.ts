import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Platform } from '@parley/testkit/stage';
import { type Browser, type CDPSession, chromium, type Page } from 'playwright-core';

export type OpenPage = {
  browser: Browser;
  page: Page;
  /** CPU time of the page's process so far, in milliseconds. */
  processorMs(): Promise<number>;
};

const VIEWPORT = { width: 1440, height: 900 };
const TIMEOUT_MS = 20_000;

/** Opens Debian's Chromium with one page of the dashboard, signed in as the owner of the workspace. */
export async function openDashboard(
  platform: Platform,
  workspaceId: string,
  lifecycle: Lifecycle,
): Promise<OpenPage> {
  const owner = ['--email', 'owner@bench.example', '--create', 'owner'];
  const { sign_in_url: link } = (await platform.parley(
    ...['member', 'link', '--workspace', workspaceId, ...owner],
  )) as { sign_in_url: string };
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  lifecycle.onStop('browser', () => browser.close());
  const context = await browser.newContext({ viewport: VIEWPORT });
  const page = await context.newPage();
  await page.goto(link);
  await page.getByRole('link', { name: 'Calls', exact: true }).first().waitFor();
  const session: CDPSession = await context.newCDPSession(page);
  await session.send('Performance.enable');
  return {
    browser,
    page,
    processorMs: async () => {
      const { metrics } = await session.send('Performance.getMetrics');
      return (metrics.find(({ name }) => name === 'ProcessTime')?.value ?? Number.NaN) * 1000;
    },
  };
}

/**
 * Milliseconds from the start of a navigation with an empty cache until `shown` holds and the main thread is idle. `session`: of
 * a signed-in page.
 */
export async function firstLoadMs(
  browser: Browser,
  url: string,
  shown: string,
  session?: Page,
): Promise<number> {
  const context = await browser.newContext({
    viewport: VIEWPORT,
    ...(session ? { storageState: await session.context().storageState() } : {}),
  });
  try {
    const page = await context.newPage();
    await page.addInitScript(`window.interactiveAt = (${UNTIL_FREE})(() => ${shown})`);
    await page.goto(url);
    return Number(await page.evaluate('window.interactiveAt'));
  } finally {
    await context.close();
  }
}

/**
 * Milliseconds from a click on a link to the first frame in which `shown` holds. Measured inside the page, since the latency of the
 * automation protocol exceeds the result.
 */
export async function clickUntil(page: Page, link: string, shown: string): Promise<number> {
  return Number(await page.evaluate(`(${CLICK_UNTIL})(${JSON.stringify(link)}, () => ${shown})`));
}

/** Milliseconds of each frame while the page is scrolled evenly by so many pixels in that time. */
export async function scrollFramesMs(page: Page, pixels: number, ms: number): Promise<number[]> {
  return page.evaluate(`(${SCROLL})(${pixels}, ${ms})`);
}

// Scripts that run in the page are strings: this program has no DOM types.

const UNTIL_FREE = `(isShown) => new Promise((resolve, reject) => {
  const look = () => {
    if (isShown()) setTimeout(() => resolve(performance.now()));
    else if (performance.now() > ${TIMEOUT_MS}) reject(new Error('not shown: ' + isShown));
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})`;

const CLICK_UNTIL = `(link, isShown) => new Promise((resolve, reject) => {
  const target = document.querySelector(link);
  if (!target) return reject(new Error('no ' + link));
  const startedAt = performance.now();
  const look = () => {
    const spent = performance.now() - startedAt;
    if (isShown()) resolve(spent);
    else if (spent > ${TIMEOUT_MS}) reject(new Error('not shown: ' + isShown));
    else requestAnimationFrame(look);
  };
  target.click();
  requestAnimationFrame(look);
})`;

const SCROLL = `(pixels, ms) => new Promise((resolve) => {
  const frames = [];
  const from = window.scrollY;
  const startedAt = performance.now();
  let lastAt = startedAt;
  const step = () => {
    const at = performance.now();
    frames.push(at - lastAt);
    lastAt = at;
    window.scrollTo(0, from + pixels * Math.min(1, (at - startedAt) / ms));
    if (at - startedAt < ms) requestAnimationFrame(step);
    else resolve(frames.slice(1));
  };
  requestAnimationFrame(step);
})`;
