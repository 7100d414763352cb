import type { Locator, Page } from 'playwright-core';

// What a page looks like beyond its elements. Scripts that run in the page are strings: tests have no DOM types.

/** How far everything on a page may have moved while it was loaded, in parts of the window [dashboard.24]. */
export const MAX_SHIFT = 0.02;
const SETTLE_MS = 3_000;
const SHOWN = 4;

/** How far an element is from the top of the window. */
export async function topOf(element: Locator): Promise<number> {
  const box = await element.boundingBox();
  if (!box) throw new Error('it is not shown');
  return box.y;
}

/** Lists and editors measure themselves again after the window has changed, which takes them a few frames. */
export async function hasSettled(page: Page): Promise<void> {
  const endsAt = performance.now() + SETTLE_MS;
  while ((await cutOff(page)).length > 0 && performance.now() < endsAt) await page.waitForTimeout(50);
}

/**
 * What a person cannot see and cannot scroll to: the page where it is wider than the window, and elements whose content is wider than they
 * are. A text that ends in an ellipsis is whole in a title, at the latest when a person points at it.
 */
export function cutOff(page: Page): Promise<string[]> {
  return page.evaluate(CUT_OFF);
}

/** By how much the page moved by itself, before its first click or key, and what moved. */
export async function shiftsOf(page: Page): Promise<{ total: number; moved: string[] }> {
  return page.evaluate(SHIFTS);
}

const CUT_OFF = `(() => {
  const { scrollWidth, clientWidth } = document.documentElement;
  const found = scrollWidth > clientWidth ? ['the page: ' + (scrollWidth - clientWidth) + ' px'] : [];
  const FIELDS = 'input, textarea, select, svg, svg *, canvas';
  for (const element of document.querySelectorAll('body *')) {
    const isSeen = element.clientWidth > 1 && element.checkVisibility() && !element.matches('.visually-hidden');
    if (!isSeen || element.matches(FIELDS) || element.innerText?.trim() === '') continue;
    const { overflowX, textOverflow } = getComputedStyle(element);
    if (overflowX !== 'hidden' && overflowX !== 'clip') continue;
    const cut = element.scrollWidth - element.clientWidth;
    if (cut <= 1) continue;
    for (const type of ['mouseover', 'mouseout']) element.dispatchEvent(new MouseEvent(type, { bubbles: true }));
    const isWholeInTitle = element.closest('[title]') !== null || element.querySelector('[title]') !== null;
    if (textOverflow === 'ellipsis' && isWholeInTitle) continue;
    found.push(cut + ' px of ' + element.outerHTML.slice(0, 200));
  }
  return found;
})()`;

const SHIFTS = `(async () => {
  const read = async (type) => {
    const entries = [];
    const observer = new PerformanceObserver((list) => entries.push(...list.getEntries()));
    observer.observe({ type, buffered: true });
    await new Promise((resolve) => setTimeout(resolve, 50));
    observer.disconnect();
    return entries;
  };
  const [shifts, inputs] = await Promise.all([read('layout-shift'), read('first-input')]);
  const until = inputs[0]?.startTime ?? Infinity;
  const counted = shifts.filter(({ hadRecentInput, startTime }) => !hadRecentInput && startTime < until);
  const moved = counted.flatMap(({ value, sources }) =>
    sources.map(({ node, previousRect, currentRect }) => {
      const element = node?.nodeType === 3 ? node.parentElement : node;
      const [left, top] = [currentRect.x - previousRect.x, currentRect.y - previousRect.y];
      return value.toFixed(3) + ': by ' + left + ', ' + top + ' px: ' + (element?.outerHTML.slice(0, 120) ?? 'gone');
    }));
  return { total: counted.reduce((sum, { value }) => sum + value, 0), moved: moved.slice(0, ${SHOWN}) };
})()`;
