import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';

const require = createRequire(import.meta.url);
const axe = await readFile(require.resolve('axe-core/axe.min.js'), 'utf8');

export const WIDE = { width: 1440, height: 900 };
export const NARROW = { width: 390, height: 844 };

/** A folder for pictures of every checked page; none are saved without it. */
const folder = process.env.SCREENSHOTS;

/**
 * What holds for every page in its present state: no violations of axe in light and dark, at 1440 and 390 pixels, and no horizontal
 * scrolling. Saves pictures of all four if `SCREENSHOTS` names a folder. Leaves the page wide and light.
 */
export async function checkPage(page: Page, name: string): Promise<void> {
  for (const [width, size] of [
    [390, NARROW],
    [1440, WIDE],
  ] as const) {
    await page.setViewportSize(size);
    await hasSettled(page);
    expect([name, width, await overflowOf(page)]).toEqual([name, width, 0]);
    for (const scheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
      await page.locator(`html[data-mantine-color-scheme="${scheme}"]`).waitFor();
      if (folder) await page.screenshot({ path: join(folder, `${name}-${width}-${scheme}.png`) });
      // Rules about structure find the same in both schemes.
      expect([name, width, scheme, await violationsOf(page)]).toEqual([name, width, scheme, []]);
    }
  }
}

/** Lists and editors measure themselves again after the window has changed, which takes them a few frames. */
async function hasSettled(page: Page): Promise<void> {
  const fits = 'document.documentElement.scrollWidth <= document.documentElement.clientWidth';
  await page.waitForFunction(fits, undefined, { timeout: 3_000 }).catch(() => undefined);
}

/** Pixels by which the page is wider than the window. */
async function overflowOf(page: Page): Promise<number> {
  const tooWide = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
  return Math.max(0, Number(await page.evaluate(tooWide)));
}

async function violationsOf(page: Page): Promise<string[]> {
  if (!(await page.evaluate('typeof axe === "object"'))) await page.evaluate(axe);
  // Preloading would copy the styles of shadow trees (wavesurfer's) into elements that the page's policy refuses.
  const found = (await page.evaluate(
    'axe.run(document, { resultTypes: ["violations"], preload: false })',
  )) as {
    violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
  };
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
  );
}
