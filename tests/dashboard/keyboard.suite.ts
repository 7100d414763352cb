import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';
import type { Page } from 'playwright-core';
import type { DashboardStage } from './stage/dashboard-stage.ts';
import type { Team } from './stage/team.ts';

const MAX_STOPS = 150;

/** The dashboard without a mouse [dashboard.34]. */
export function keyboardSuite(stage: () => DashboardStage): void {
  describe('the keyboard', () => {
    let team: Team;
    beforeAll(async () => {
      team = await stage().createTeam('Keys');
      await team.api.data('POST', '/v1/assistant', { agent_name: 'Ada', config: {} });
      await team.api.data('POST', '/v1/knowledge-base', { name: 'House rules' });
    });
    const focused = (page: Page): Promise<string> =>
      page.evaluate(`(() => {
        const element = document.activeElement;
        const heading = element?.tagName === 'H1' ? 'H1 ' : '';
        return heading + (element?.getAttribute('aria-label') || element?.textContent?.trim() || element?.tagName);
      })()`);

    it.each(['assistants', 'webhooks', 'developers'])(
      'reaches every control of the page %s by Tab, and shows where it is [dashboard.34]',
      async (path) => {
        const page = await stage().open(team.people.owner, path);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.waitForLoadState('networkidle');
        await page.keyboard.press('Tab');
        expect(await focused(page)).toBe('Skip to the content');
        await page.evaluate(MARK);
        let stops = 0;
        while (stops < MAX_STOPS && (await page.evaluate('document.activeElement !== document.body'))) {
          await page.evaluate("document.activeElement.setAttribute('data-reached', '')");
          const name = await focused(page);
          expect([name, await page.evaluate(IS_VISIBLE)]).toEqual([name, true]);
          await page.keyboard.press('Tab');
          stops += 1;
        }
        expect(stops).toBeGreaterThan(10);
        expect(await page.evaluate(MISSED)).toEqual([]);
      },
    );

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

/** Marks what a person could click now: what is shown, enabled, and no part of a group that arrow keys go through. */
const MARK = `document.querySelectorAll('a[href], button, input, select, textarea, [tabindex="0"]').forEach((element) => {
  const isShown = element.checkVisibility() && getComputedStyle(element).visibility !== 'hidden';
  if (isShown && !element.disabled && element.tabIndex >= 0 && element.type !== 'radio') element.setAttribute('data-wanted', '');
})`;
const MISSED = `[...document.querySelectorAll('[data-wanted]:not([data-reached])')].map((element) => element.outerHTML.slice(0, 200))`;
/** An outline of it or of the row that its link covers; a field has another border. */
const IS_VISIBLE = `(() => {
  const isOutlined = (part) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement, part);
    return outlineStyle !== 'none' && outlineWidth !== '0px';
  };
  return isOutlined() || isOutlined('::after') || document.activeElement.matches('input, textarea');
})()`;
