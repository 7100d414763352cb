import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, type Receiver, receiver } from '@parley/testkit';
import type { Page } from 'playwright-core';
import { checkPage } from './stage/check-page.ts';
import type { DashboardStage } from './stage/dashboard-stage.ts';
import type { Team } from './stage/team.ts';

const WORKING = 4;
/** More than are tried before an endpoint gets no more. */
const BROKEN = 12;

const plural = (count: number) => (count === 1 ? '1 event' : `${count} events`);

/** Requests of the page that resend events wait until the returned function is called. */
async function holdResends(page: Page): Promise<() => void> {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/webhooks/resend', async (route) => {
    await released;
    await route.continue();
  });
  return release;
}

/** What was given up while a receiver was down is sent again, all at once [dashboard.74]. */
export function webhooksSuite(stage: () => DashboardStage): void {
  describe('failed webhook events', () => {
    let team: Team;
    let server: Receiver;
    beforeAll(async () => {
      team = await stage().createTeam('Outage');
      server = await receiver();
      server.script('/broken', { status: 500 });
    });
    afterAll(() => server.close());

    /** An assistant with this URL, and events of it whose attempts are exhausted: each of a call of its own. */
    const addFailed = async (path: string, count: number) => {
      const { platform } = stage();
      const { id } = await team.api.data('POST', '/v1/assistant', {
        agent_name: `Sends to ${path}`,
        config: { settings: { webhookUrl: server.url + path } },
      });
      await eventually(async () => {
        const { body } = await team.api.request('GET', '/v1/webhook-endpoint');
        expect(body.data.map(({ url }: { url: string }) => url)).toContain(server.url + path);
      });
      await platform.query(
        'webhooks',
        `INSERT INTO events (id, workspace_id, call_id, agent_id, event, position, body, status, reason, blocked, attempts, created_at)
         SELECT gen_random_uuid(), $1, gen_random_uuid(), $2, 'call_ended', 2, '{"event":"call_ended"}', 'failed', 'http_error', false, 12,
           now() - n * interval '1 minute'
         FROM generate_series(1, $3::int) AS n`,
        team.workspace.workspace_id,
        id,
        count,
      );
    };

    it('are listed, and sent again after a question, except to an endpoint that still refuses them [dashboard.74]', async () => {
      const page = await stage().open(team.people.developer, 'webhooks');
      await page.getByText('No webhook URL yet').waitFor();
      expect(await page.getByText('Failed deliveries').count()).toBe(0);
      await addFailed('/working', WORKING);
      await page.reload();
      await page.getByText(`${WORKING} failed events`).waitFor();
      await checkPage(page, 'webhooks-failed');
      await page.getByRole('link', { name: 'call_ended' }).first().waitFor();

      await addFailed('/broken', BROKEN);
      await page.reload();
      await page.getByText(`${WORKING + BROKEN} failed events`).waitFor();
      await page.getByRole('button', { name: 'Retry all failed' }).click();
      const dialog = page.getByRole('dialog', { name: 'Retry all failed events' });
      await dialog.getByText('Each event is sent once more').waitFor();
      await checkPage(page, 'webhooks-retry');
      await dialog.getByRole('button', { name: 'Retry', exact: true }).click();
      const total = WORKING + BROKEN;
      await dialog.getByText(new RegExp(`${total} of ${total} events done: ${WORKING} delivered`)).waitFor();
      await dialog.getByText(`${server.url}/broken still refuses events`).waitFor();
      // The button that had the focus is gone.
      expect(await page.evaluate('document.activeElement?.textContent')).toBe('Close');
      await checkPage(page, 'webhooks-retried');
      expect(server.requests('/working')).toHaveLength(WORKING);
      // Five in a row, and those that were on their way with the fifth.
      const refused = server.requests('/broken').length;
      expect(refused).toBeGreaterThanOrEqual(5);
      expect(refused).toBeLessThan(BROKEN);
      await dialog.getByRole('button', { name: 'Close' }).last().click();
      await page.getByText(`${BROKEN - refused} failed event`).waitFor();

      server.script('/broken', { status: 200 });
      // Another person has read the same list, and sends it after this one.
      const other = await stage().open(team.people.admin, 'webhooks');
      const release = await holdResends(other);
      await other.getByRole('button', { name: 'Retry all failed' }).click();
      await other.getByRole('button', { name: 'Retry', exact: true }).click();
      await other.getByText(`0 of ${plural(BROKEN - refused)} done`).waitFor();
      await page.getByRole('button', { name: 'Retry all failed' }).click();
      await dialog.getByRole('button', { name: 'Retry', exact: true }).click();
      await dialog.getByText(`${BROKEN - refused} delivered`).waitFor();
      await dialog.getByRole('button', { name: 'Close' }).last().click();
      await page.getByText('No failed events').waitFor();
      release();
      await other.getByText(`0 delivered, 0 failed again, ${BROKEN - refused} not sent`).waitFor();
    });

    it('are seen by viewers, who may not send them [dashboard.22] [dashboard.74]', async () => {
      await addFailed('/seen', 1);
      const page = await stage().open(team.people.viewer, 'webhooks');
      const retry = page.getByRole('button', { name: 'Retry all failed' });
      await retry.waitFor();
      expect(await retry.getAttribute('aria-disabled')).toBe('true');
      await retry.click({ force: true });
      expect(await page.getByRole('dialog').count()).toBe(0);
    });

    it('stop when they are told to, and what fails on the way is said [dashboard.74]', async () => {
      await addFailed('/slow', 40);
      const page = await stage().open(team.people.developer, 'webhooks');
      const release = await holdResends(page);
      await page.getByRole('button', { name: 'Retry all failed' }).click();
      const dialog = page.getByRole('dialog', { name: 'Retry all failed events' });
      await dialog.getByRole('button', { name: 'Retry', exact: true }).click();
      await dialog.getByText(/0 of 4\d events done/).waitFor();
      await page.keyboard.press('Escape');
      await dialog.getByRole('button', { name: 'Stop' }).click();
      release();
      await dialog.getByRole('button', { name: 'Close' }).last().waitFor();
      await dialog.getByText(/[1-4] of 4\d events done/).waitFor();
      await dialog.getByRole('button', { name: 'Close' }).last().click();

      await page.unroute('**/webhooks/resend');
      await page.route('**/webhooks/resend', (route) =>
        route.fulfill({
          status: 500,
          json: { error: { code: 'INTERNAL_ERROR', message: 'Nothing was sent' } },
        }),
      );
      await page.getByRole('button', { name: 'Retry all failed' }).click();
      await dialog.getByRole('button', { name: 'Retry', exact: true }).click();
      await dialog.getByText('Not everything was sent').waitFor();
      await dialog.getByText('Nothing was sent').waitFor();
    });
  });
}
