import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';
import type { Page } from 'playwright-core';
import type { DashboardStage } from './stage/dashboard-stage.ts';
import { type Furnished, furnish, PATHS, pathOf, untilLoaded } from './stage/every-page.ts';
import type { Team } from './stage/team.ts';

/** More than a page has: whoever is caught in a part of it never leaves it. */
const MAX_STOPS = 300;

/** The dashboard without a mouse [dashboard.34]. */
export function keyboardSuite(stage: () => DashboardStage): void {
  describe('the keyboard', () => {
    let team: Team;
    let furnished: Furnished;
    beforeAll(async () => {
      team = await stage().createTeam('Keys');
      furnished = await furnish(team, '+15550210001');
    });
    afterAll(async () => {
      await furnished?.world.hooks.close();
    });
    const focused = (page: Page): Promise<string> =>
      page.evaluate(`(() => {
        const element = document.activeElement;
        const heading = element?.tagName === 'H1' ? 'H1 ' : '';
        return heading + (element?.getAttribute('aria-label') || element?.textContent?.trim() || element?.tagName);
      })()`);

    /** From the skip link through the whole page. */
    const walk = async (page: Page): Promise<void> => {
      await page.evaluate(STAND_STILL);
      await page.getByRole('link', { name: 'Skip to the content' }).focus();
      await page.evaluate(MARK);
      const unseen: string[] = [];
      let stops = 0;
      for (; stops < MAX_STOPS; stops += 1) {
        await page.keyboard.press('Tab');
        const { hidden, isEnd } = await page.evaluate<{ hidden: string | null; isEnd: boolean }>(STOP);
        if (hidden !== null) unseen.push(hidden);
        if (isEnd) break;
      }
      // The last control is left by Tab, too.
      expect([stops > 10, stops < MAX_STOPS]).toEqual([true, true]);
      expect(unseen).toEqual([]);
      expect(await page.evaluate(MISSED)).toEqual([]);
    };

    it.each(PATHS)(
      'reaches every control of /%s by Tab, and shows where it is [dashboard.34]',
      async (path) => {
        const page = await stage().open(team.people.owner, pathOf(path, furnished.ids));
        await untilLoaded(page);
        await page.keyboard.press('Tab');
        expect(await focused(page)).toBe('Skip to the content');
        await walk(page);
      },
    );

    it('reaches every control of the steps of a new campaign by Tab [dashboard.34]', async () => {
      const page = await stage().open(team.people.owner, 'campaigns/new');
      const next = async (step: string) => {
        await page.getByRole('button', { name: 'Next', exact: true }).click();
        await page.getByRole('heading', { level: 2, name: step }).waitFor();
      };
      await page.getByLabel('Name').fill('By keyboard');
      for (const field of ['Assistant', 'Number']) {
        await page.getByRole('combobox', { name: field }).click();
        await page.getByRole('option').first().click();
      }
      await next('Contacts');
      await walk(page);
      await page.getByRole('tab', { name: 'Paste' }).click();
      await page.getByLabel('Rows of contacts').fill('phone,name\n+12125550101,Grace\noops,Linus');
      await page.getByRole('button', { name: 'Use these rows' }).click();
      await page.getByText('1 contact can be called').waitFor();
      await walk(page);
      await next('Hours and retries');
      await page.getByRole('switch', { name: /certain hours/ }).check({ force: true });
      await walk(page);
      await next('Review');
      await walk(page);
    });

    it('goes from the skip link into the page, through a dialog and back, and to the heading of the next page [dashboard.34]', async () => {
      const page = await stage().open(team.people.owner, 'assistants');
      await page.getByRole('heading', { level: 1, name: 'Assistants' }).waitFor();
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.keyboard.press('Tab');
      expect(await page.evaluate("document.activeElement.closest('main') !== null")).toBe(true);

      const create = page.getByRole('button', { name: 'New assistant' }).first();
      await create.focus();
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').waitFor();
      await page.keyboard.type('By keyboard');
      expect(await page.getByRole('dialog').getByLabel('Name').inputValue()).toBe('By keyboard');
      for (let i = 0; i < 20; i += 1) {
        await page.keyboard.press('Tab');
        expect(await page.evaluate("document.activeElement.closest('[role=dialog]') !== null")).toBe(true);
      }
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      await eventually(async () => expect(await focused(page)).toBe('New assistant'));

      const menu = page.getByRole('button', { name: 'Actions of Ada' });
      await menu.focus();
      await page.keyboard.press('Enter');
      await page.getByRole('menuitem', { name: 'Duplicate' }).waitFor();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Escape');
      await page.getByRole('menuitem', { name: 'Duplicate' }).waitFor({ state: 'hidden' });
      await eventually(async () => expect(await focused(page)).toBe('Actions of Ada'));

      await page.getByRole('link', { name: 'Numbers' }).first().focus();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Numbers' }).waitFor();
      await eventually(async () => expect(await focused(page)).toBe('H1 Numbers'));
    });

    it.each([
      ['assistants', 'Ada', 'Assistant', '**/v1/assistant/*'],
      ['knowledge', 'House rules', 'Knowledge base', '**/v1/knowledge-base/*'],
    ])(
      'is on the heading while a page of %s is loading, and on it when it is loaded [dashboard.34]',
      async (path, name, loading, url) => {
        const page = await stage().open(team.people.owner, path);
        const link = page.getByRole('link', { name, exact: true }).first();
        await link.waitFor();
        let release = (): void => {};
        const released = new Promise<void>((resolve) => {
          release = resolve;
        });
        await page.route(url, async (route) => {
          await released;
          await route.continue();
        });
        await link.focus();
        await page.keyboard.press('Enter');
        await page.getByRole('heading', { level: 1, name: loading, exact: true }).waitFor();
        await eventually(async () => expect(await focused(page)).toBe(`H1 ${loading}`));
        release();
        await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
        await eventually(async () => expect(await focused(page)).toBe(`H1 ${name}`));
      },
    );
  });
}

/** A style counts at once, instead of after a transition. */
const STAND_STILL = `(() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('*, *::before, *::after { transition: none !important; animation: none !important }');
  document.adoptedStyleSheets.push(sheet);
})()`;
/** Marks what a person could click now: what is shown, enabled, and no part of a group that arrow keys go through. */
const CONTROLS =
  'a[href], button, input, select, textarea, summary, [tabindex="0"], [contenteditable="true"]';
const MARK = `document.querySelectorAll('${CONTROLS}').forEach((element) => {
  element.toggleAttribute('data-reached', element === document.activeElement);
  element.removeAttribute('data-wanted');
  const isShown = element.checkVisibility() && getComputedStyle(element).visibility !== 'hidden';
  const isUsable = !element.matches(':disabled') && element.tabIndex >= 0 && element.type !== 'radio';
  if (isShown && isUsable) element.setAttribute('data-wanted', '');
})`;
const MISSED = `[...document.querySelectorAll('[data-wanted]:not([data-reached])')].map((element) => element.outerHTML.slice(0, 200))`;
/**
 * At each control: names the one before if it looked no different with the focus than without it. A control may show the focus by itself,
 * by what is around it, or, where the control itself cannot be seen, by what is beside it.
 */
const STOP = `(() => {
  const styleOf = (element, part) => {
    const style = getComputedStyle(element, part);
    const outline = style.outlineStyle === 'none' ? '' : style.outlineStyle + style.outlineWidth + style.outlineColor;
    const { borderColor, borderWidth, boxShadow, backgroundColor, textDecorationLine } = style;
    const border = parseFloat(borderWidth) === 0 ? '' : borderWidth + borderColor;
    return [outline, border, boxShadow, backgroundColor, textDecorationLine].join();
  };
  const isUnseen = (element) => element.offsetWidth <= 1 || getComputedStyle(element).opacity === '0';
  const lookOf = (element) => {
    const parts = [element];
    for (let i = 0, above = element.parentElement; i < 4 && above; i += 1, above = above.parentElement) parts.push(above);
    if (isUnseen(element)) parts.push(element.previousElementSibling, element.nextElementSibling);
    return parts.filter(Boolean).flatMap((one) => [styleOf(one), styleOf(one, '::before'), styleOf(one, '::after')]).join('; ');
  };
  const { lastStop } = window;
  const isSame = lastStop?.element.isConnected && lookOf(lastStop.element) === lastStop.look;
  const element = document.activeElement;
  element.setAttribute('data-reached', '');
  const isEnd = element === document.body;
  window.lastStop = isEnd ? undefined : { element, look: lookOf(element) };
  return { hidden: isSame ? lastStop.element.outerHTML.slice(0, 200) : null, isEnd };
})()`;
