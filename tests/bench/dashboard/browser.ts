import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Platform } from '@parley/testkit/stage';
import { type CDPSession, chromium, type Page } from 'playwright-core';

export type OpenPage = {
  page: Page;
  /** Milliseconds of processor time that the page's process has used so far. */
  processorMs(): Promise<number>;
};

/** Debian's Chromium with one page of the dashboard, signed in as the owner of the workspace. */
export async function openDashboard(
  platform: Platform,
  workspaceId: string,
  lifecycle: Lifecycle,
): Promise<OpenPage> {
  const args = [
    'member',
    'link',
    '--workspace',
    workspaceId,
    '--email',
    'owner@bench.example',
    '--create',
    'owner',
  ];
  const { sign_in_url: link } = (await platform.parley(...args)) as { sign_in_url: string };
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  lifecycle.onStop('browser', () => browser.close());
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.goto(link);
  await page.getByRole('link', { name: 'Calls', exact: true }).first().waitFor();
  const session: CDPSession = await context.newCDPSession(page);
  await session.send('Performance.enable');
  return {
    page,
    processorMs: async () => {
      const { metrics } = await session.send('Performance.getMetrics');
      return (metrics.find(({ name }) => name === 'ProcessTime')?.value ?? Number.NaN) * 1000;
    },
  };
}

/**
 * Milliseconds from a click on a link of the page to the first frame in which this is shown. Measured in the page: the way of the
 * automation takes longer than what is measured.
 */
export async function clickUntil(page: Page, link: string, shown: string): Promise<number> {
  return Number(await page.evaluate(`(${CLICK_UNTIL})(${JSON.stringify(link)}, ${JSON.stringify(shown)})`));
}

/** In the page, whose types these programs do not have. */
const CLICK_UNTIL = `(link, shown) => new Promise((resolve, reject) => {
  const target = document.querySelector(link);
  if (!target) return reject(new Error('no ' + link));
  const startedAt = performance.now();
  const look = () => {
    const spent = performance.now() - startedAt;
    if (document.querySelector(shown)) resolve(spent);
    else if (spent > 20000) reject(new Error('no ' + shown));
    else requestAnimationFrame(look);
  };
  target.click();
  requestAnimationFrame(look);
})`;
