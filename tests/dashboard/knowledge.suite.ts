import { beforeAll, describe, expect, it } from '@jest/globals';
import { checkPage } from './stage/check-page.ts';
import type { DashboardStage } from './stage/dashboard-stage.ts';
import { pdfOf } from './stage/pdf-of.ts';
import type { Team } from './stage/team.ts';

export function knowledgeSuite(stage: () => DashboardStage): void {
  describe('knowledge', () => {
    let team: Team;
    beforeAll(async () => {
      team = await stage().createTeam('Knowledge');
    });

    it('texts, HTML and PDF become searchable documents, and a search shows what matched [dashboard.67]', async () => {
      const page = await stage().open(team.people.developer, 'knowledge');
      await page.getByRole('button', { name: 'New knowledge base' }).first().click();
      await page.getByLabel('Name').fill('House rules');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'House rules' }).waitFor();

      await page.getByRole('button', { name: 'Add documents' }).first().click();
      const dialog = page.getByRole('dialog', { name: 'Add to House rules' });
      const html =
        '<title>Parking</title><script>document.title = "ran"</script><p>The heron garage is <b>free</b>.</p>';
      await dialog.locator('input[type="file"]').setInputFiles([
        { name: 'hours.md', mimeType: 'text/markdown', buffer: Buffer.from('# Hours\n\nWe open at nine.') },
        { name: 'parking.html', mimeType: 'text/html', buffer: Buffer.from(html) },
        { name: 'pets.pdf', mimeType: 'application/pdf', buffer: pdfOf('Dogs may stay for a fee') },
        { name: 'logo.png', mimeType: 'image/png', buffer: Buffer.from('x') },
      ]);
      // One file after the other, and the reader of PDF is loaded now.
      await dialog.getByText(/^logo\.png · Only .* can be read$/).waitFor({ timeout: 60_000 });
      for (const name of ['hours.md', 'parking.html', 'pets.pdf'])
        await dialog.getByText(`${name} · searchable`).waitFor();
      await dialog.getByRole('tab', { name: 'Paste text' }).click();
      await dialog.getByLabel('Title').fill('Towels');
      await dialog.getByRole('textbox', { name: 'Text', exact: true }).fill('Towels are changed daily.');
      await dialog.getByRole('button', { name: 'Add', exact: true }).click();
      await dialog.waitFor({ state: 'hidden' });
      for (const title of ['hours', 'Parking', 'pets', 'Towels'])
        await page.getByRole('button', { name: title, exact: true }).waitFor();

      await page.getByLabel('Search the documents').fill('Is the garage free?');
      await page.locator('mark', { hasText: 'garage' }).waitFor();
      await checkPage(page, 'knowledge-base');
      await page.getByLabel('Search the documents').fill('may dogs stay');
      await page.locator('mark', { hasText: 'Dogs' }).waitFor();
      await page.getByRole('button', { name: 'Parking', exact: true }).click();
      await page.getByText('The heron garage is free.').waitFor();
      const text = await page.getByRole('dialog', { name: 'Parking' }).textContent();
      expect(text).toContain('The heron garage is free.');
      expect(text).not.toContain('ran');
    });

    it('a long file that fails half-way is tried again, and adds no part twice [dashboard.67]', async () => {
      const { id } = await team.api.data('POST', '/v1/knowledge-base', { name: 'Library' });
      const page = await stage().open(team.people.developer, `knowledge/${id}`);
      let sent = 0;
      await page.route(`**/v1/knowledge-base/${id}/documents`, (route) => {
        if (route.request().method() !== 'POST') return route.continue();
        sent += 1;
        const error = { code: 'INTERNAL_ERROR', message: 'Not now' };
        return sent === 2 ? route.fulfill({ status: 500, json: { error } }) : route.continue();
      });
      await page.getByRole('button', { name: 'Add documents' }).first().click();
      const dialog = page.getByRole('dialog', { name: 'Add to Library' });
      const buffer = Buffer.from('A sentence of a long book.\n'.repeat(50_000));
      await dialog
        .locator('input[type="file"]')
        .setInputFiles([{ name: 'book.txt', mimeType: 'text/plain', buffer }]);
      await dialog.getByText('book.txt · Not now').waitFor();
      await checkPage(page, 'knowledge-upload-failed');
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'hidden' });
      await page.getByRole('button', { name: 'Add documents' }).first().click();
      await dialog.getByRole('button', { name: 'Try again: book.txt' }).click();
      await dialog.getByText('book.txt · searchable').waitFor();
      const { body } = await team.api.request('GET', `/v1/knowledge-base/${id}/documents`);
      const titles = body.data.map(({ title }: { title: string }) => title).sort();
      expect(titles).toEqual(['book (1 of 2)', 'book (2 of 2)']);
    });

    it('a viewer cannot add or delete, and is told why [dashboard.65]', async () => {
      const { id } = await team.api.data('POST', '/v1/knowledge-base', { name: 'Read only' });
      const page = await stage().open(team.people.viewer, `knowledge/${id}`);
      const add = page.getByRole('button', { name: 'Add documents' }).first();
      await add.waitFor();
      expect(await add.getAttribute('aria-description')).toContain('viewer');
      await page.goto(`${stage().url}knowledge`);
      await page.getByRole('link', { name: 'Read only' }).waitFor();
      await checkPage(page, 'knowledge');
    });
  });
}
