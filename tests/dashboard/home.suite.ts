import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';
import { checkPage, WIDE } from './stage/check-page.ts';
import type { DashboardStage } from './stage/dashboard-stage.ts';
import { topOf } from './stage/page-layout.ts';
import type { Team } from './stage/team.ts';

const HELD_MS = 3_000;

/** The start page keeps its place while it is open. */
export function homeSuite(stage: () => DashboardStage): void {
  describe('the start page', () => {
    let team: Team;
    beforeAll(async () => {
      team = await stage().createTeam('Home');
    });
    const blank = () => stage().open(team.people.owner, 'favicon.svg');

    it('the start page comes with what is above its figures [dashboard.26]', async () => {
      const page = await blank();
      await page.route('**/v1/attention', async (route) => {
        const response = await route.fetch();
        const body = await response.json();
        const item = { type: 'api_key_expiring', at: new Date().toISOString(), key_id: 'k', name: 'Old' };
        await new Promise((resolve) => setTimeout(resolve, HELD_MS));
        await route.fulfill({ response, json: { ...body, data: { ...body.data, items: [item] } } });
      });
      await page.route('**/v1/phone-number/list', async (route) => {
        await new Promise((resolve) => setTimeout(resolve, HELD_MS));
        await route.continue();
      });
      await page.goto(stage().url);
      await page.getByText('Calls today').waitFor();
      const above = ['Needs attention', 'First steps'].map((name) => page.getByRole('region', { name }));
      expect(await Promise.all(above.map((region) => region.count()))).toEqual([1, 1]);
      await checkPage(page, 'home-attention');
    });

    it('what begins or ceases to need attention is said and shown on request, and moves nothing on the start page [dashboard.76]', async () => {
      const page = await blank();
      const key = (id: string) => ({
        type: 'api_key_expiring',
        at: new Date().toISOString(),
        key_id: id,
        name: id,
      });
      let items = [key('Old')];
      await page.route('**/v1/attention', (route) =>
        route.fulfill({ json: { success: true, data: { items, unknown_services: [] } } }),
      );
      // Without live updates it asks every ten seconds.
      await page.route('**/dashboard/api/events', (route) => route.abort());
      await page.goto(stage().url);
      const figure = page.getByText('Calls today');
      await figure.waitFor();
      const list = page.getByRole('region', { name: 'Needs attention' });
      await list.getByText('Old').waitFor();
      const top = await topOf(figure);

      items = [key('New'), key('Old')];
      const note = page.getByRole('status').getByRole('button');
      await note.filter({ hasText: 'Something needs attention' }).waitFor();
      expect([await topOf(figure), await list.getByRole('listitem').count()]).toEqual([top, 1]);
      await checkPage(page, 'home-attention-changed');
      await page.setViewportSize(WIDE);
      await note.click();
      await list.getByText('New').waitFor();
      expect(await topOf(figure)).toBeGreaterThan(top);
      await eventually(async () => expect(await page.evaluate('document.activeElement.tagName')).toBe('H1'));

      const later = await topOf(figure);
      items = [];
      await note.filter({ hasText: 'Changed' }).waitFor();
      expect(await topOf(figure)).toBe(later);
      await note.click();
      await list.waitFor({ state: 'detached' });
    });

    it('the start page keeps nothing of an earlier visit that needs attention no more [dashboard.76]', async () => {
      const page = await blank();
      let name = 'Old';
      let release = (): void => {};
      let held = Promise.resolve();
      await page.route('**/v1/attention', async (route) => {
        await held;
        const item = { type: 'api_key_expiring', at: new Date().toISOString(), key_id: name, name };
        await route.fulfill({ json: { success: true, data: { items: [item], unknown_services: [] } } });
      });
      await page.clock.install();
      await page.goto(stage().url);
      const list = page.getByRole('region', { name: 'Needs attention' });
      await list.getByText('Old').waitFor();
      await page.getByRole('link', { name: 'Assistants' }).first().click();
      await page.getByRole('heading', { name: 'Assistants', level: 1 }).waitFor();
      name = 'New';
      held = new Promise((resolve) => {
        release = resolve;
      });
      // What was read before is too old by then, and shown until it is read again.
      await page.clock.fastForward(60_000);
      await page.getByRole('link', { name: 'Home' }).first().click();
      await list.getByText('Old').waitFor();
      release();
      await list.getByText('New').waitFor();
      expect(await list.getByRole('listitem').count()).toBe(1);
      expect(await page.getByRole('button', { name: /show (it|the newest)/ }).count()).toBe(0);
    });

    it('running campaigns keep their order on the start page when one begins [dashboard.76]', async () => {
      const page = await blank();
      const campaign = (name: string) => ({
        ...{ campaign_id: name, campaign_name: name, status: 'running' },
        ...{ completed_calls: 0, total_contacts: 1, successful_calls: 0 },
      });
      let names = ['First'];
      await page.route(/\/v1\/campaigns\?/, (route) => {
        const isRunning = new URL(route.request().url()).searchParams.get('status') === 'running';
        const data = isRunning ? names.map(campaign) : [];
        return route.fulfill({
          json: { success: true, data, pagination: { total: data.length, next_cursor: null } },
        });
      });
      await page.route('**/dashboard/api/events', (route) => route.abort());
      await page.goto(stage().url);
      const running = page.getByRole('region', { name: 'Running campaigns' }).getByRole('listitem');
      await running.filter({ hasText: 'First' }).waitFor();
      names = ['Second', 'First'];
      await running.filter({ hasText: 'Second' }).waitFor();
      const texts = await running.allTextContents();
      expect(texts.map((text) => text.startsWith('First'))).toEqual([true, false]);
    });
  });
}
