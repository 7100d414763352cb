import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';
import type { Page } from 'playwright-core';
import type { DashboardStage } from './stage/dashboard-stage.ts';
import type { Team } from './stage/team.ts';

const NUMBERS = ['+12125550201', '+12125550202', '+12125550203'];

/** Where the focus goes after a question, and when what has it goes away [dashboard.34]. */
export function focusSuite(stage: () => DashboardStage): void {
  describe('the focus', () => {
    let team: Team;
    beforeAll(async () => {
      team = await stage().createTeam('Focus');
    });
    const isOn = (page: Page, name: string) =>
      eventually(async () =>
        expect(
          await page.evaluate(
            "document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent",
          ),
        ).toBe(name),
      );
    const dialog = (page: Page) => page.getByRole('dialog');
    const press = async (page: Page, name: string) => {
      await page.getByRole('button', { name, exact: true }).focus();
      await page.keyboard.press('Enter');
    };

    it.each([
      ['a table', 1440],
      ['cards', 390],
    ])(
      'of a question in a row of %s goes back to its button, or with the row to the next one [dashboard.34]',
      async (_, width) => {
        await team.api.data('POST', '/v1/do-not-call', { phone_numbers: NUMBERS });
        const page = await stage().open(team.people.owner, 'settings?tab=do-not-call');
        await page.setViewportSize({ width, height: 900 });
        const removers = page.getByRole('button', { name: /^Remove \+/ });
        await removers.nth(2).waitFor();
        const [first = '', second = '', third = ''] = await removers.evaluateAll((buttons) =>
          buttons.map((button) => button.getAttribute('aria-label') ?? ''),
        );

        for (const close of ['Escape', 'Cancel']) {
          await press(page, second);
          await dialog(page).waitFor();
          if (close === 'Cancel') await dialog(page).getByRole('button', { name: 'Cancel' }).focus();
          await page.keyboard.press(close === 'Cancel' ? 'Enter' : 'Escape');
          await dialog(page).waitFor({ state: 'detached' });
          await isOn(page, second);
        }
        for (const [removed, next] of [
          [second, third],
          [third, first],
          [first, 'Settings'],
        ] as const) {
          await press(page, removed);
          await isOn(page, 'Remove');
          await page.keyboard.press('Enter');
          await page.getByRole('button', { name: removed, exact: true }).waitFor({ state: 'detached' });
          await isOn(page, next);
        }
      },
    );

    it('of a question from the menu of a card goes back to the menu, or with the card to the next one [dashboard.34]', async () => {
      const { id } = await team.api.data('POST', '/v1/assistant', { agent_name: 'Ada', config: {} });
      for (const name of ['find_day', 'find_room', 'find_staff'])
        await team.api.data('POST', '/v1/tool/custom', {
          ...{ agent_id: id, tool_name: name, description: 'Finds it', http_method: 'POST' },
          endpoint_url: 'https://example.com/find',
        });
      const page = await stage().open(team.people.developer, `assistants/${id}?tab=tools`);
      const menus = page.getByRole('button', { name: /^Actions of find_/ });
      await menus.nth(2).waitFor();
      const [first = '', second = '', third = ''] = await menus.evaluateAll((buttons) =>
        buttons.map((button) => button.getAttribute('aria-label') ?? ''),
      );
      const ask = async (menu: string) => {
        await press(page, menu);
        await page.getByRole('menuitem', { name: 'Delete' }).focus();
        await page.keyboard.press('Enter');
        await isOn(page, 'Delete tool');
      };
      await ask(first);
      await page.keyboard.press('Escape');
      await isOn(page, first);
      await ask(first);
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: first, exact: true }).waitFor({ state: 'detached' });
      await isOn(page, second);
      await ask(third);
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: third, exact: true }).waitFor({ state: 'detached' });
      await isOn(page, second);
    });

    it('of a card that is removed without a question goes to the card before, and of a note to the heading above [dashboard.34]', async () => {
      const fields = ['mood', 'reason'].map((name) => ({
        type: 'string',
        name,
        description: 'Of the caller',
      }));
      const { id } = await team.api.data('POST', '/v1/assistant', {
        agent_name: 'Grace',
        config: { settings: { postCallAnalysis: { enabled: true, fields } } },
      });
      const page = await stage().open(team.people.developer, `assistants/${id}?tab=analysis`);
      await press(page, 'Remove field reason');
      await isOn(page, 'Remove field mood');
      await page.reload();
      await page.getByRole('button', { name: 'Remove field mood' }).waitFor();
      await press(page, 'Discard them');
      await isOn(page, 'Grace');
    });

    it('of a field that is drawn again stays in it [dashboard.34]', async () => {
      await team.api.data('POST', '/v1/phone-number/sip', {
        ...{ phone_number: '+14155550171', termination_uri: 'sip.example.com' },
      });
      const page = await stage().open(team.people.developer, 'campaigns/new');
      await page.getByLabel('Name').fill('Hours');
      for (const field of ['Assistant', 'Number']) {
        await page.getByRole('combobox', { name: field }).click();
        await page.getByRole('option').first().click();
      }
      const next = page.getByRole('button', { name: 'Next', exact: true });
      await next.click();
      await page.getByRole('tab', { name: 'Paste' }).click();
      await page.getByLabel('Rows of contacts').fill('phone\n+12125550101');
      await page.getByRole('button', { name: 'Use these rows' }).click();
      await page.getByText('1 contact can be called').waitFor();
      await next.click();
      await page.getByRole('switch', { name: /certain hours/ }).check({ force: true });
      await page.getByLabel('Hours 1: from').fill('10:30');
      await page.keyboard.press('Tab');
      await isOn(page, 'Hours 1: to');
    });
  });
}
