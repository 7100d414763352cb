import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createDeferred } from '@parley/kit/concurrency';
import { eventually } from '@parley/testkit';
import type { Page } from 'playwright-core';
import { checkPage } from './stage/check-page.ts';
import { type Conversations, conversations, HOSTILE } from './stage/conversations.ts';
import type { DashboardStage } from './stage/dashboard-stage.ts';

const FROM = '+15550140001';
const TALKS = '+15550140010';
const BUSY = '+15550140002';
const TALKS_ON = '+15550140007';

export function callsSuite(stage: () => DashboardStage): void {
  describe('calls', () => {
    let world: Conversations;
    let talked = '';
    beforeAll(async () => {
      world = await conversations(await stage().createTeam('Calls'), FROM);
      const variables = { contact_name: HOSTILE, bicycle: 'tandem' };
      [talked] = (await Promise.all([world.finishedCall(TALKS, variables), world.finishedCall(BUSY)])) as [
        string,
        string,
      ];
    });
    afterAll(async () => {
      await world?.hooks.close();
    });
    const open = (path: string, role: 'developer' | 'viewer' = 'developer'): Promise<Page> =>
      stage().open(world.team.people[role], path);
    const rowsOf = (page: Page) => page.locator('tr[data-link]');
    const tab = (page: Page, name: string) => page.getByRole('tab', { name }).click();

    it('are listed with every filter in the URL, and those that arrive move no row [dashboard.40]', async () => {
      const page = await open('calls');
      await eventually(async () => expect(await rowsOf(page).count()).toBe(2));
      await checkPage(page, 'calls');
      await page.getByRole('button', { name: 'Outcome' }).click();
      await page.getByRole('checkbox', { name: 'Busy' }).check();
      await eventually(async () =>
        expect(await rowsOf(page).allInnerTexts()).toEqual([expect.stringContaining('Busy')]),
      );
      expect(page.url()).toContain('dial_busy');
      await page.reload();
      await eventually(async () => expect(await rowsOf(page).count()).toBe(1));
      await page.getByRole('button', { name: 'Clear all' }).click();
      await eventually(async () => expect(await rowsOf(page).count()).toBe(2));
      await page.keyboard.press('/');
      await page.keyboard.type('(555) 014-0010');
      await eventually(async () => expect(await rowsOf(page).count()).toBe(1));
      expect(page.url()).toContain('q=');
      const link = page.getByRole('link', { name: 'Export CSV' });
      expect(await link.getAttribute('href')).toBe('/v2/call/export.csv?to_number=5550140010');
      await page.getByRole('button', { name: 'Clear the search' }).click();
      await eventually(async () => expect(await rowsOf(page).count()).toBe(2));
      await world.call('+15550140008');
      const news = page.getByRole('button', { name: 'Show 1 new call' });
      await news.waitFor();
      expect(await rowsOf(page).count()).toBe(2);
      await news.click();
      await eventually(async () => expect(await rowsOf(page).count()).toBe(3));
    });

    it('play their recording, which the transcript follows; tools show arguments and results [dashboard.41] [dashboard.48]', async () => {
      const page = await open(`calls/${talked}`);
      await page.getByRole('heading', { level: 1, name: HOSTILE }).waitFor();
      // Both channels, drawn by wavesurfer in its own tree.
      await eventually(async () =>
        expect(await page.locator('section[aria-label="Recording"] canvas').count()).toBeGreaterThan(1),
      );
      await checkPage(page, 'call');
      const slider = page.getByRole('slider', { name: 'Position in the recording' });
      const position = async () => Number(await slider.getAttribute('aria-valuenow'));
      await page.getByRole('button', { name: 'Play', exact: true }).click();
      await page.getByRole('button', { name: 'Pause' }).waitFor();
      await eventually(async () => expect(await position()).toBeGreaterThan(0));
      await page.locator('body').press('k');
      await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
      const jumps = page.getByRole('button', { name: /^Play from/ });
      await jumps.nth(3).click();
      await eventually(async () =>
        expect(await page.locator('li[aria-current]').getAttribute('data-row')).toBe('3'),
      );
      await page.getByRole('button', { name: 'Pause' }).click();
      await slider.press('Home');
      await eventually(async () => expect(await position()).toBe(0));
      const tool = page.getByRole('button', { name: /check_availability/ });
      await tool.click();
      await page.getByRole('region', { name: 'Arguments' }).waitFor();
      await page.getByRole('region', { name: 'Result' }).filter({ hasText: 'onerror' }).waitFor();
      expect(await page.evaluate('window.hacked')).toBeUndefined();
    });

    it('whose recording cannot be played say so, and try again when asked [dashboard.41]', async () => {
      const page = await stage().open(world.team.people.developer, 'favicon.svg');
      const links: string[] = [];
      await page.route('**/recordings/**', (route) => {
        links.push(route.request().url());
        return route.fulfill({ contentType: 'audio/wav', body: 'no recording' });
      });
      await page.goto(`${stage().url}calls/${talked}`);
      const problem = page.getByRole('alert').filter({ hasText: 'The recording cannot be played' });
      await problem.waitFor();
      await checkPage(page, 'call-unplayable');
      await page.unroute('**/recordings/**');
      await problem.getByRole('button', { name: 'Try again' }).click();
      await problem.waitFor({ state: 'hidden' });
      await page.getByRole('button', { name: 'Play', exact: true }).click();
      await page.getByRole('button', { name: 'Pause' }).waitFor();
      expect(links.length).toBeGreaterThan(1);
    });

    it('whose waveform cannot be loaded say so, play, and try again when asked [dashboard.31] [dashboard.41]', async () => {
      const page = await stage().open(world.team.people.developer, 'favicon.svg');
      const [recordings, drawing] = ['**/recordings/**', '**/assets/waveform-*'];
      await page.route(recordings, (route) =>
        route.request().resourceType() === 'fetch' ? route.abort() : route.continue(),
      );
      // What draws it is missing, too.
      await page.route(drawing, (route) => route.abort());
      await page.goto(`${stage().url}calls/${talked}`);
      const problem = page.getByRole('alert').filter({ hasText: 'The waveform could not be loaded' });
      const tryAgain = problem.getByRole('button', { name: 'Try again' });
      await problem.waitFor();
      await checkPage(page, 'call-without-waveform');
      await page.getByRole('button', { name: 'Play', exact: true }).click();
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.unroute(recordings);
      const refused = page.waitForEvent('requestfailed', (request) => request.url().includes('/waveform-'));
      await tryAgain.press('Enter');
      await refused;
      await eventually(async () => expect(await tryAgain.isEnabled()).toBe(true));
      await page.unroute(drawing);
      await tryAgain.press('Enter');
      await problem.waitFor({ state: 'hidden' });
      await page.getByText('go to a position').waitFor({ state: 'hidden' });
    });

    /** A list of the same calls that says that it is longer. */
    const openLongList = async (total: number): Promise<Page> => {
      const page = await open('favicon.svg');
      await page.route('**/v2/call/list', async (route) => {
        const response = await route.fetch();
        const body = await response.json();
        await route.fulfill({ response, json: { ...body, pagination: { ...body.pagination, total } } });
      });
      await page.goto(`${stage().url}calls`);
      await rowsOf(page).first().getByRole('link').waitFor();
      return page;
    };

    it('are listed up to a limit, and the list says how older ones are found [dashboard.40]', async () => {
      const page = await openLongList(150_000);
      await page.getByText('Narrow the filters to see older calls').waitFor();
    });

    it('are gone through by J and K, from the first one that the titles do not cover [dashboard.40]', async () => {
      const page = await openLongList(5_000);
      const focused = () =>
        page.evaluate<{ row: string | undefined; belowTitles: number }>(`(() => {
          const row = document.activeElement.closest('tr');
          const titles = document.querySelector('th').getBoundingClientRect().bottom;
          return { row: row?.ariaRowIndex, belowTitles: row?.getBoundingClientRect().top - titles };
        })()`);
      await page.evaluate(
        "window.scrollBy(0, document.querySelector('tr[data-link]').getBoundingClientRect().top - 20)",
      );
      for (const [key, row] of [
        ['j', '3'],
        ['k', '2'],
        ['j', '3'],
      ] as const) {
        await page.keyboard.press(key);
        const { row: found, belowTitles } = await focused();
        expect(found).toBe(row);
        expect(belowTitles).toBeGreaterThan(-1);
      }
      // The second key of a shortcut moves no row.
      await page.evaluate(
        "window.addEventListener('focusin', ({ target }) => { window.hasMoved ||= target.closest('tr') !== null; })",
      );
      await page.keyboard.press('g');
      await page.keyboard.press('k');
      await page.waitForURL('**/knowledge');
      expect(await page.evaluate('window.hasMoved')).not.toBe(true);
    });

    it('are at the same place when the page is loaded again [dashboard.40]', async () => {
      const page = await openLongList(5_000);
      await page.mouse.wheel(0, 40_000);
      const top = () => page.evaluate<number>('Math.round(window.scrollY)');
      await eventually(async () => expect(await top()).toBe(40_000));
      await page.reload();
      await eventually(async () => expect(await top()).toBe(40_000));
    });

    it('begin at the top with other filters, which were set while the page was loaded again [dashboard.40]', async () => {
      const page = await openLongList(5_000);
      await page.mouse.wheel(0, 40_000);
      const top = () => page.evaluate<number>('Math.round(window.scrollY)');
      await eventually(async () => expect(await top()).toBe(40_000));
      const answers = createDeferred();
      await page.route('**/v2/call/list', async (route) => {
        await answers.promise;
        await route.fallback();
      });
      await page.reload();
      await page.getByRole('button', { name: 'Outcome' }).click();
      await page.getByRole('checkbox', { name: 'Busy' }).check();
      answers.resolve();
      await rowsOf(page).first().getByRole('link').waitFor();
      expect(await top()).toBe(0);
    });

    it('have a timeline, and the whole of what the API returns [dashboard.41]', async () => {
      const page = await open(`calls/${talked}?tab=timeline`);
      await page.getByText('picked up').waitFor();
      await checkPage(page, 'call-timeline');
      await tab(page, 'JSON');
      await page.getByText(`"id": "${talked}"`).first().waitFor();
      await tab(page, 'Overview');
      await page.getByText('tandem').first().waitFor();
      await checkPage(page, 'call-overview');
      expect(await page.evaluate('window.hacked')).toBeUndefined();
    });

    it('show every webhook with its attempts, and send one or all again [dashboard.44] [dashboard.48]', async () => {
      const page = await open(`calls/${talked}?tab=webhooks`);
      const ended = page.getByRole('region', { name: 'call_ended' });
      await ended.getByText('Delivered').first().waitFor();
      await ended
        .getByRole('button', { name: /Delivered/ })
        .first()
        .click();
      await ended.getByText('Thank you').waitFor();
      await checkPage(page, 'call-webhooks');
      const arrivals = () =>
        world.hooks
          .requests('/hook')
          .filter(({ body }) => JSON.parse(body).call_id === talked)
          .map(({ body, headers }) => `${JSON.parse(body).event} ${headers['webhook-id']}`);
      const before = arrivals();
      await ended.getByRole('button', { name: 'Retry call_ended' }).click();
      await page.getByText('call_ended was delivered.').waitFor();
      await eventually(async () => expect(await ended.getByRole('listitem').count()).toBe(2));
      expect(arrivals().slice(before.length)).toEqual([before.find((line) => line.startsWith('call_ended'))]);
      world.hooks.script('/hook', { status: 503, body: HOSTILE }, { body: 'ok' });
      await page.getByRole('button', { name: 'Retry all' }).click();
      await page.getByText('call_started failed: the receiver answered with an error: 503.').waitFor();
      expect(arrivals().length).toBe(before.length + 4);
      expect(await page.evaluate('window.hacked')).toBeUndefined();
    });

    it('have their transcript rebuilt from the recording, and keep the one that was heard [dashboard.43]', async () => {
      const page = await open(`calls/${talked}`);
      await page.getByRole('button', { name: 'Enhance transcript' }).click();
      await page.getByText('The transcript was rebuilt from the recording').waitFor();
      await page.getByText('As heard').click();
      await page.getByRole('button', { name: /check_availability/ }).waitFor();
      await page.getByText('Enhanced', { exact: true }).click();
      await page
        .getByRole('button', { name: /^Play from/ })
        .first()
        .waitFor();
      expect(await page.getByRole('button', { name: /check_availability/ }).count()).toBe(0);
      const busy = (await world.team.api.request('POST', '/v2/call/list', { to_number: BUSY })).body.data[0];
      await page.goto(`${stage().url}calls/${busy.id}`);
      const button = page.getByRole('button', { name: 'Enhance transcript' });
      expect(await button.getAttribute('aria-description')).toBe('This call has no recording');
    });

    it('that go on are above the list, grow on their page, and are stopped after a question [dashboard.40] [dashboard.42]', async () => {
      const page = await open('calls');
      const id = await world.call(TALKS_ON, { contact_name: 'Grace' });
      await page.getByRole('region', { name: 'Live calls' }).getByRole('link').first().click();
      await page.getByText('In conversation').first().waitFor();
      const lines = page.locator('section[aria-label="Transcript"] li');
      await eventually(async () => expect(await lines.count()).toBeGreaterThan(2));
      const count = await lines.count();
      await eventually(async () => expect(await lines.count()).toBeGreaterThan(count));
      await page.getByRole('button', { name: 'Stop call' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Stop call' }).click();
      await page.getByText('Assistant hung up').first().waitFor();
      expect(await world.team.api.data('GET', `/v2/call/${id}`)).toMatchObject({
        disconnection_reason: 'agent_hangup',
      });
    });

    it('are placed one at a time, with the variables of the assistant; calls of any number are found [dashboard.52] [dashboard.40]', async () => {
      const page = await open('calls');
      await page.getByRole('button', { name: 'Call a number' }).click();
      const dialog = page.getByRole('dialog', { name: 'Call a number' });
      await dialog.getByLabel('Number to call').fill('555');
      await dialog.getByText('Begin with + and the country code').waitFor();
      await dialog.getByLabel('Number to call').fill('+1 (555) 014-0008');
      await dialog.getByRole('combobox', { name: 'From' }).click();
      await page.getByRole('option').first().click();
      await dialog.getByRole('combobox', { name: 'Assistant' }).click();
      await page.getByRole('option', { name: 'Ada' }).click();
      await dialog.getByLabel('bicycle').fill('tandem');
      await checkPage(page, 'call-number');
      await dialog.getByRole('button', { name: 'Call', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: '+1 (555) 014-0008' }).waitFor();
      const id = new URL(page.url()).pathname.split('/').at(-1);
      const placed = await world.team.api.data('GET', `/v2/call/${id}`);
      expect(placed).toMatchObject({ from_number: FROM, dynamic_variables: { bicycle: 'tandem' } });

      await page.goto(`${stage().url}calls`);
      await page.getByRole('button', { name: 'From number' }).click();
      await page.getByLabel('Search numbers').fill('+1 415 555 0100');
      await page.getByRole('checkbox', { name: '+1 (415) 555-0100' }).check();
      await page.getByText('No call matches').waitFor();
    });

    it('can be read by a viewer, who learns why the rest is disabled [dashboard.49]', async () => {
      const page = await open(`calls/${talked}?tab=webhooks`, 'viewer');
      const retry = page.getByRole('button', { name: 'Retry all' });
      await retry.waitFor();
      const sent = world.hooks.requests('/hook').length;
      for (const button of [retry, page.getByRole('button', { name: 'Enhance transcript' })]) {
        expect(await button.getAttribute('aria-disabled')).toBe('true');
        expect(await button.getAttribute('aria-description')).toContain('You are viewer here');
        await button.click({ force: true });
      }
      await tab(page, 'Overview');
      expect(world.hooks.requests('/hook').length).toBe(sent);
    });
  });
}
