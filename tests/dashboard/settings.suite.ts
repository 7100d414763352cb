import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';
import { createApi } from '@parley/testkit/stage';
import { URI } from 'otpauth';
import type { Page } from 'playwright-core';
import { decodeQR } from 'qr/decode.js';
import { checkPage, NARROW } from './stage/check-page.ts';
import type { DashboardStage } from './stage/dashboard-stage.ts';
import type { Team } from './stage/team.ts';

/** The pixels of a picture, by a page without a policy. */
async function pixelsOf(page: Page, png: Buffer) {
  const blank = await page.context().newPage();
  const { data, ...size } = (await blank.evaluate(`(async () => {
    const response = await fetch('data:image/png;base64,${png.toString('base64')}');
    const picture = await createImageBitmap(await response.blob());
    const { width, height } = picture;
    const context = new OffscreenCanvas(width, height).getContext('2d');
    context.drawImage(picture, 0, 0);
    return { width, height, data: [...context.getImageData(0, 0, width, height).data] };
  })()`)) as { width: number; height: number; data: number[] };
  return { ...size, data: Uint8Array.from(data) };
}

export function settingsSuite(stage: () => DashboardStage): void {
  describe('home, webhooks, developers and settings', () => {
    let team: Team;
    beforeAll(async () => {
      team = await stage().createTeam('Globex');
    });

    it('a key is shown once, works, and is refused after it was revoked [dashboard.23]', async () => {
      const page = await stage().open(team.people.owner, 'developers');
      await page.getByRole('button', { name: 'Create a key' }).first().click();
      const dialog = page.getByRole('dialog', { name: 'Create a key' });
      await dialog.getByLabel('Name').fill('Scheduler');
      await dialog.getByRole('button', { name: 'Create the key' }).click();
      const made = page.getByRole('dialog', { name: 'The key “Scheduler”' });
      const key = (await made.locator('pre').textContent()) ?? '';
      expect(key).toMatch(/^svc_/);
      const api = createApi(stage().platform.url, key);
      const statusOf = async () => (await api.request('GET', '/v1/campaigns')).status;
      expect(await statusOf()).toBe(200);
      await made.getByRole('button', { name: 'I have stored it' }).click();
      expect(await page.content()).not.toContain(key);
      await page.getByRole('button', { name: 'Revoke Scheduler' }).click();
      const question = page.getByRole('dialog', { name: 'Revoke “Scheduler”?' });
      await question.waitFor();
      // A phone that is turned: the row becomes a card under its question.
      await page.setViewportSize(NARROW);
      await page.locator('ul[aria-label="Keys"]').waitFor();
      expect(await question.isVisible()).toBe(true);
      await question.getByRole('button', { name: 'Revoke the key' }).click();
      await question.waitFor({ state: 'hidden' });
      await page.getByText('Revoked', { exact: true }).waitFor();
      await eventually(async () => expect(await statusOf()).toBe(401));
    });

    it('the secret of a second factor is scanned from the page [access.12]', async () => {
      const { people } = await stage().createTeam('Two factors');
      const page = await stage().open(people.viewer, 'settings?tab=account');
      await page.getByRole('button', { name: 'Turn on', exact: true }).click();
      const dialog = page.getByRole('dialog', { name: 'Turn on the second factor' });
      await dialog.getByLabel('Your password', { exact: true }).fill(people.viewer.password);
      await dialog.getByRole('button', { name: 'Continue' }).click();
      const code = dialog.getByRole('img', { name: 'QR code of the secret' });
      await code.waitFor();
      await checkPage(page, 'settings-second-factor');
      await page.emulateMedia({ colorScheme: 'dark' });
      const pixels = await pixelsOf(page, await code.screenshot());
      const inQuietZone = 4 * (5 * pixels.width + 5);
      expect([...pixels.data.slice(inQuietZone, inQuietZone + 3)]).toEqual([255, 255, 255]);
      const uri = decodeQR(pixels);
      expect(uri).toMatch(/^otpauth:\/\/totp\/Parley/);
      await dialog.getByLabel('Code', { exact: true }).fill(URI.parse(uri).generate());
      await dialog.getByRole('button', { name: 'Turn on', exact: true }).click();
      await page.getByRole('dialog', { name: 'Recovery codes' }).waitFor();
    });

    it('a second factor whose response was lost is on, which trying again says [access.12]', async () => {
      const { people } = await stage().createTeam('Lost factors');
      const page = await stage().open(people.viewer, 'settings?tab=account');
      await page.route('**/api/second-factor/confirm', async (route) => {
        const response = await route.fetch();
        return response.status() === 201 ? route.abort() : route.fulfill({ response });
      });
      await page.getByRole('button', { name: 'Turn on', exact: true }).click();
      const dialog = page.getByRole('dialog', { name: 'Turn on the second factor' });
      await dialog.getByLabel('Your password', { exact: true }).fill(people.viewer.password);
      await dialog.getByRole('button', { name: 'Continue' }).click();
      const link = dialog.getByRole('link', { name: 'opening it on this device' });
      const code = URI.parse((await link.getAttribute('href')) ?? '').generate();
      await dialog.getByLabel('Code', { exact: true }).fill(code);
      const turnOn = dialog.getByRole('button', { name: 'Turn on', exact: true });
      await turnOn.click();
      await dialog.getByRole('alert').filter({ hasText: 'No connection' }).waitFor();
      await turnOn.click();
      await dialog.getByText('It is on already').waitFor();
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await page.getByText('On, 10 recovery codes left').waitFor();
    });

    it('a viewer sees disabled controls that say why, and a forged request is 403 [dashboard.22]', async () => {
      const page = await stage().open(team.people.viewer, 'developers');
      const create = page.getByRole('button', { name: 'Create a key' }).first();
      expect(await create.getAttribute('aria-disabled')).toBe('true');
      await create.hover();
      await page.getByText('You are viewer here; this needs at least the role admin').waitFor();
      await create.click({ force: true });
      expect(await page.getByRole('dialog', { name: 'Create a key' }).count()).toBe(0);
      const forged = `fetch('/dashboard/api/session').then((r) => r.json()).then(({ data }) =>
        fetch('/dashboard/api/keys', { method: 'POST', body: '{"name":"Mine","type":"private"}',
          headers: { 'content-type': 'application/json', 'x-csrf-token': data.csrf_token } })).then((r) => r.status)`;
      expect(await page.evaluate(forged)).toBe(403);
      await page.goto(`${stage().url}settings`);
      expect(await page.getByLabel('Name', { exact: true }).isDisabled()).toBe(true);
      await page.getByText('this needs at least the role admin').first().waitFor();
    });

    it('numbers of the do-not-call list may be typed with spaces, one per line [dashboard.32]', async () => {
      const page = await stage().open(team.people.developer, 'settings?tab=do-not-call');
      await page.getByLabel('Numbers', { exact: true }).first().fill('+1 (415) 555-0188\n+49 30 1234567');
      await page.getByText('2 numbers', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await page.getByText('2 numbers added').waitFor();
      const listed = (await team.api.request('GET', '/v1/do-not-call')).body.data;
      expect(listed.map(({ phone_number: number }: { phone_number: string }) => number).sort()).toEqual([
        '+14155550188',
        '+49301234567',
      ]);
    });

    it('what needs attention is not hidden by an error [dashboard.31]', async () => {
      const page = await stage().open(team.people.developer, 'favicon.svg');
      await page.route('**/attention', (route) => route.fulfill({ status: 500, body: '{}' }));
      await page.goto(stage().url);
      await page.getByText('What needs attention could not be loaded').waitFor();
    });

    it('an invitation is not closed by a click beside it, nor covered by the list of commands [dashboard.25]', async () => {
      const page = await stage().open(team.people.owner, 'settings?tab=members');
      await page.getByRole('button', { name: 'Invite' }).first().click();
      const dialog = page.getByRole('dialog', { name: 'Invite a person' });
      await dialog.getByLabel('E-mail address').fill('kept@example.com');
      await page.mouse.click(5, 5);
      await page.keyboard.press('Control+k');
      expect(await page.getByRole('dialog', { name: 'Find or do' }).count()).toBe(0);
      expect(await dialog.getByLabel('E-mail address').inputValue()).toBe('kept@example.com');
    });

    it('an invitation that has expired says so, and what to do [access.17]', async () => {
      await team.invite('viewer', 'late@example.com');
      await stage().platform.query(
        'gateway',
        "UPDATE members SET invitation_expires_at = now() - interval '1 day' WHERE email = $1",
        'late@example.com',
      );
      const page = await stage().open(team.people.owner, 'settings?tab=members');
      await page.getByText('Invitation expired').hover();
      await page.getByText('Invite the same address again for a new link').waitFor();
      await page.getByRole('button', { name: 'Revoke the invitation of late@example.com' }).waitFor();
    });

    it('the number of an erasure is typed as people write it [dashboard.32]', async () => {
      const page = await stage().open(team.people.owner, 'settings?tab=retention');
      const field = page.getByLabel('Phone number');
      const erase = page.getByRole('button', { name: 'Erase …' });
      await field.fill('0415 555 0188');
      await page.getByText('Begin with + and the country code').waitFor();
      expect(await erase.isDisabled()).toBe(true);
      await checkPage(page, 'settings-erasure-problem');
      await field.fill('+1 (415) 555-0188');
      await erase.click();
      await page.getByRole('dialog').getByText('Type “+14155550188” to confirm').waitFor();
    });

    it.each([
      ['', 'home'],
      ['webhooks', 'webhooks'],
      ['developers', 'developers'],
      ['settings', 'settings'],
      ['settings?tab=members', 'settings-members'],
      ['settings?tab=do-not-call', 'settings-do-not-call'],
      ['settings?tab=retention', 'settings-retention'],
      ['settings?tab=audit', 'settings-audit'],
      ['settings?tab=account', 'settings-account'],
    ])('the page %s has no violations and does not scroll sideways [dashboard.24]', async (path, name) => {
      const page = await stage().open(team.people.owner, path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.locator('main [aria-busy="true"]').waitFor({ state: 'detached' });
      await checkPage(page, name);
    });
  });
}
