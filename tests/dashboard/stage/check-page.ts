import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { eventually } from '@parley/testkit';
import type { Page } from 'playwright-core';
import { cutOff, hasSettled, MAX_SHIFT, shiftsOf } from './page-layout.ts';

const require = createRequire(import.meta.url);
const axe = await readFile(require.resolve('axe-core/axe.min.js'), 'utf8');

export const WIDE = { width: 1440, height: 900 };
export const NARROW = { width: 390, height: 844 };

/** A folder for pictures of every checked page; none are saved without it. */
const folder = process.env.SCREENSHOTS;

type Scheme = 'light' | 'dark';

/** The rules of axe that read colors. All others find the same in both schemes if the page has the same elements. */
const OF_COLORS = ['color-contrast', 'link-in-text-block'] as const;

/** The page is light before and after; each width changes the scheme once. */
const STATES = [
  [390, NARROW, ['light', 'dark']],
  [1440, WIDE, ['dark', 'light']],
] as const;

/**
 * What holds for every page in its present state: no violations of axe in light and dark, at 1440 and 390 pixels; nothing that is cut off
 * or needs horizontal scrolling; nothing that moved while the page was loaded. Saves pictures of all four if `SCREENSHOTS` names a folder.
 * Leaves the page wide and light.
 */
export async function checkPage(page: Page, name: string): Promise<void> {
  const { total, moved } = await shiftsOf(page);
  expect([name, total <= MAX_SHIFT ? [] : moved]).toEqual([name, []]);
  for (const [width, size, schemes] of STATES) {
    await page.setViewportSize(size);
    await hasSettled(page);
    expect([name, width, await cutOff(page)]).toEqual([name, width, []]);
    const hasNone = async (scheme: Scheme, rules?: readonly string[]) =>
      expect([name, width, scheme, await violationsOf(page, rules)]).toEqual([name, width, scheme, []]);
    const elements: string[] = [];
    for (const scheme of schemes) {
      await emulate(page, scheme);
      if (folder) await page.screenshot({ path: join(folder, `${name}-${width}-${scheme}.png`) });
      await hasNone(scheme, scheme === 'dark' ? OF_COLORS : undefined);
      elements.push(await elementsOf(page));
    }
    if (elements[0] === elements[1]) continue;
    await emulate(page, 'dark');
    await hasNone('dark');
    await emulate(page, 'light');
  }
}

/** Chromium of a busy machine may not report a change of scheme to the page, so it is changed again. */
async function emulate(page: Page, scheme: Scheme): Promise<void> {
  let isRepeated = false;
  await eventually(
    async () => {
      if (isRepeated) await page.emulateMedia({ colorScheme: null });
      isRepeated = true;
      await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
      await page.locator(`html[data-mantine-color-scheme="${scheme}"]`).waitFor({ timeout: 5_000 });
    },
    { timeoutMs: 60_000 },
  );
}

/** All elements with their attributes and whether they are shown, but for the scheme itself. */
function elementsOf(page: Page): Promise<string> {
  return page.evaluate(`[...document.querySelectorAll('body, body *')]
    .map((element) => {
      const { display, visibility } = getComputedStyle(element);
      const attributes = [...element.attributes].map(({ name, value }) => name + '=' + value);
      return [element.localName, display, visibility, ...attributes].join(' ');
    })
    .join('; ')`);
}

/** Of these rules, or of all. */
async function violationsOf(page: Page, rules?: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate('typeof axe === "object"'))) await page.evaluate(axe);
  // Preloading would copy the styles of shadow trees (wavesurfer's) into elements that the page's policy refuses.
  const options = { resultTypes: ['violations'], preload: false, ...(rules && { runOnly: rules }) };
  const found = (await page.evaluate(`axe.run(document, ${JSON.stringify(options)})`)) as {
    violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
  };
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
  );
}
