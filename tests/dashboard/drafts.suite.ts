import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';
import type { Locator, Page } from 'playwright-core';
import { checkPage } from './stage/check-page.ts';
import type { DashboardStage } from './stage/dashboard-stage.ts';
import type { Team } from './stage/team.ts';
import { FORM_NAMES, type FormName, type TypedForm, typedForms } from './stage/typed-forms.ts';

/** Forms that the tests send. */
const SENT = ['invite', 'tool', 'knowledge', 'key', 'do-not-call'] as const;
const SECRET = 'never-in-this-browser';
/** The note of a draft looks the same in every form: it is checked in a drawer, a dialog and a page. */
const PICTURED: FormName[] = ['tool', 'contacts', 'do-not-call'];
const RESTORED = 'This goes on from where you left.';

/** What a person has typed is there again after whatever ends a form, but for its secrets [dashboard.33]. */
export function draftsSuite(stage: () => DashboardStage): void {
  describe('typed text', () => {
    let team: Team;
    let forms: TypedForm[];
    beforeAll(async () => {
      team = await stage().createTeam('Drafts');
      const base = await team.api.data('POST', '/v1/knowledge-base', { name: 'House rules' });
      const agent = await team.api.data('POST', '/v1/assistant', { agent_name: 'Ada', config: {} });
      const number = '+14155550171';
      await team.api.data('POST', '/v1/phone-number/sip', {
        phone_number: number,
        termination_uri: 'sip.example.com',
      });
      const campaign = await team.api.data('POST', '/v1/campaigns', {
        campaign_name: 'Pick-ups',
        agent_id: agent.id,
        phone_number: number,
        contacts: [{ phone_number: '+12125550107' }],
      });
      forms = typedForms({ baseId: base.id, agentId: agent.id, campaignId: campaign.campaign_id });
    });
    const formOf = (name: FormName): TypedForm => {
      const form = forms.find((known) => known.name === name);
      if (!form) throw new Error(`no form is named ${name}`);
      return form;
    };
    const openForm = async (name: FormName): Promise<{ page: Page; form: TypedForm }> => {
      const form = formOf(name);
      const page = await stage().open(team.people.owner, form.path);
      await form.open(page);
      return { page, form };
    };
    const stored = (page: Page): Promise<string> => page.evaluate('JSON.stringify(localStorage)');
    const drafts = async (page: Page): Promise<string[]> =>
      Object.keys(JSON.parse(await stored(page))).filter((key) => key.startsWith('parley:draft:'));
    const hasText = (field: Locator, text: string) =>
      eventually(async () => expect(await field.inputValue()).toBe(text));
    const signInAgain = async (page: Page) => {
      const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
      await dialog.waitFor();
      await dialog.getByLabel('Password', { exact: true }).fill(team.people.owner.password);
      await dialog.getByRole('button', { name: 'Sign in' }).click();
      await dialog.waitFor({ state: 'hidden' });
    };

    it.each(FORM_NAMES)(
      'is there again after a dialog was closed and the page was loaded again, without secrets: %s [dashboard.33]',
      async (name) => {
        const { page, form } = await openForm(name);
        const field = form.field(page);
        await field.fill(form.text);
        if (form.secret) await form.secret(page).fill(SECRET);
        if (form.isDialog) {
          await page.keyboard.press('Escape');
          await page.getByRole('dialog').waitFor({ state: 'hidden' });
          await form.open(page);
          await hasText(field, form.text);
          await page.getByText(RESTORED).waitFor();
        }
        await page.reload();
        await form.open(page);
        await hasText(field, form.text);
        await page.getByText(RESTORED).waitFor();
        if (form.secret) expect(await form.secret(page).inputValue()).toBe('');
        expect(await stored(page)).not.toContain(SECRET);
        if (PICTURED.includes(name)) await checkPage(page, `draft-${name}`);
        await page.getByRole('button', { name: 'Start over' }).click();
        await hasText(field, '');
        expect(await drafts(page)).toEqual([]);
      },
    );

    it('is there again after the browser went back, or a click beside the dialog closed it [dashboard.33]', async () => {
      const { page, form } = await openForm('contacts');
      const field = form.field(page);
      await field.fill(form.text);
      await page.mouse.click(5, 5);
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      await page.getByRole('link', { name: 'Campaigns' }).first().click();
      await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
      await page.goBack();
      await form.open(page);
      await hasText(field, form.text);
      await page.goBack();
      await page.goForward();
      await form.open(page);
      await hasText(field, form.text);
    });

    it.each(SENT)(
      'survives the end of the session: %s is sent after the sign-in [dashboard.21]',
      async (name) => {
        const { page, form } = await openForm(name);
        await form.fill(page);
        if (form.secret) await form.secret(page).fill(SECRET);
        await page.context().clearCookies();
        await form.send(page);
        await signInAgain(page);
        await hasText(form.field(page), form.text);
        if (form.secret) {
          expect(await form.secret(page).inputValue()).toBe(SECRET);
          await form.secret(page).fill('');
        }
        await form.send(page);
        await form.sent(page).waitFor();
        // A live update may show it before the response is there.
        await eventually(async () => expect(await drafts(page)).toEqual([]));
      },
    );

    it.each([
      ['invite', 'abort'],
      ['tool', 503],
      ['knowledge', 'abort'],
      ['key', 429],
      ['do-not-call', 500],
    ] as const)('survives a request that fails: %s (%s) [dashboard.33]', async (name, failure) => {
      const { page, form } = await openForm(name);
      // Another than before: what exists already is refused with words of its own.
      await form.fill(page, 'again');
      await page.route('**/*', (route) => {
        if (route.request().method() !== 'POST') return route.continue();
        if (failure === 'abort') return route.abort();
        const error = { code: failure === 429 ? 'RATE_LIMITED' : 'INTERNAL_ERROR', message: 'Not now' };
        return route.fulfill({ status: failure, json: { error } });
      });
      await form.send(page);
      await page.getByRole('alert').first().waitFor();
      await hasText(form.field(page), form.again);
      await page.reload();
      await form.open(page);
      await hasText(form.field(page), form.again);
      await page.unroute('**/*');
      await form.send(page);
      await form.sent(page).waitFor();
      // A live update may show it before the response is there.
      await eventually(async () => expect(await drafts(page)).toEqual([]));
    });

    it('of a list of contacts comes with its columns, corrections and country [dashboard.50]', async () => {
      const page = await stage().open(team.people.owner, 'campaigns/new');
      await page.getByLabel('Name').fill('With corrections');
      await page.getByRole('combobox', { name: 'Assistant' }).click();
      await page.getByRole('option', { name: 'Ada' }).click();
      await page.getByRole('combobox', { name: 'Number' }).click();
      await page.getByRole('option').first().click();
      const next = () => page.getByRole('button', { name: 'Next', exact: true }).click();
      await next();
      await page.getByRole('tab', { name: 'Paste' }).click();
      await page.getByLabel('Rows of contacts').fill('phone,name\n030 123456,Grace\noops,Linus');
      await page.reload();
      await next();
      await hasText(page.getByLabel('Rows of contacts'), 'phone,name\n030 123456,Grace\noops,Linus');
      await page.getByRole('button', { name: 'Use these rows' }).click();
      const country = page.getByRole('combobox', { name: /Country of numbers/ });
      await country.fill('Germany');
      await page.getByRole('option', { name: /Germany/ }).click();
      await page.getByLabel('Phone number of row 3').fill('+12125550109');
      await page.keyboard.press('Enter');
      await page.getByText('2 contacts can be called').waitFor();
      await page.reload();
      await next();
      await page.getByText('2 contacts can be called').waitFor();
      expect(await country.inputValue()).toContain('Germany');
      await page.getByRole('button', { name: 'Use another list' }).click();
      await hasText(page.getByLabel('Rows of contacts'), 'phone,name\n030 123456,Grace\noops,Linus');
      await page.getByRole('button', { name: 'Start over' }).click();
      await eventually(async () => expect(await drafts(page)).toEqual([]));
    });

    it('that is no valid JSON is there again too, and can be given up [dashboard.62]', async () => {
      const agent = await team.api.data('POST', '/v1/assistant', { agent_name: 'In JSON', config: {} });
      const page = await stage().open(team.people.owner, `assistants/${agent.id}?tab=json`);
      const editor = page.getByRole('textbox', { name: 'Configuration as JSON' });
      await editor.click();
      await page.keyboard.press('ControlOrMeta+a');
      await page.keyboard.insertText('{ "agent_name": "Half a');
      await page.getByText('Not taken over yet').waitFor();
      await page.getByRole('tab', { name: 'Voice' }).click();
      await page.getByRole('tab', { name: 'JSON' }).click();
      await page.getByText('"Half a').waitFor();
      await page.reload();
      await page.getByText('"Half a').waitFor();
      await page.getByRole('button', { name: 'Return to it' }).click();
      await page.getByText('"In JSON"').waitFor();
      expect(await drafts(page)).toEqual([]);
      await editor.click();
      await page.keyboard.press('ControlOrMeta+a');
      await page.keyboard.insertText(`{ "webhook_secret": "${SECRET}`);
      await page.getByText('Not taken over yet').waitFor();
      expect(await stored(page)).not.toContain(SECRET);
    });

    it('for a tool and a key meets what another person has saved since [dashboard.61]', async () => {
      const agent = await team.api.data('POST', '/v1/assistant', { agent_name: 'Shared', config: {} });
      const tool = await team.api.data('POST', '/v1/tool/custom', {
        agent_id: agent.id,
        tool_name: 'shared_draft',
        description: 'Of both',
        endpoint_url: 'https://example.com/shared',
        http_method: 'POST',
      });
      const page = await stage().open(team.people.owner, 'tools');
      const edited = page.getByRole('dialog', { name: 'shared_draft' });
      const open = () => page.getByRole('button', { name: 'shared_draft' }).first().click();
      await open();
      await edited.getByLabel('When to use it').fill('Mine');
      await page.keyboard.press('Escape');
      await edited.waitFor({ state: 'hidden' });
      await team.api.data('PUT', `/v1/tool/custom/${tool.id}`, {
        description: 'Theirs',
        timeout_seconds: 70,
      });
      await page.reload();
      await open();
      await edited.getByText('You both changed when to use it').waitFor();
      await hasText(edited.getByLabel('Timeout'), '70 s');
      await hasText(edited.getByLabel('When to use it'), 'Mine');
      await edited.getByRole('button', { name: 'Take theirs' }).click();
      await hasText(edited.getByLabel('When to use it'), 'Theirs');
      expect(await drafts(page)).toEqual([]);

      const { page: keys, form } = await openForm('key');
      await form.field(keys).fill('Shared key');
      await form.send(keys);
      await form.sent(keys).waitFor();
      await keys.getByRole('button', { name: 'I have stored it' }).click();
      const others = await stage().open(team.people.admin, 'developers');
      const settings = (of: Page) => of.getByRole('button', { name: 'Settings of Shared key' });
      await settings(keys).click();
      await keys.getByLabel('Name', { exact: true }).fill('Renamed key');
      await settings(others).click();
      await others.getByRole('switch', { name: /read/i }).check({ force: true });
      await others.getByRole('button', { name: 'Save' }).click();
      await others.getByRole('dialog').waitFor({ state: 'hidden' });
      await eventually(
        async () => expect(await keys.getByRole('switch', { name: /read/i }).isChecked()).toBe(true),
        { timeoutMs: 20_000 },
      );
      await keys.getByRole('button', { name: 'Save' }).click();
      await keys.getByRole('button', { name: 'Settings of Renamed key' }).click();
      expect(await keys.getByRole('switch', { name: /read/i }).isChecked()).toBe(true);
    });
  });
}
