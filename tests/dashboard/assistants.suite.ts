import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, type Receiver, receiver } from '@parley/testkit';
import type { Locator, Page } from 'playwright-core';
import { checkPage } from './stage/check-page.ts';
import type { DashboardStage } from './stage/dashboard-stage.ts';
import type { Team } from './stage/team.ts';

/** Would call `alert` wherever a text became HTML. */
const HOSTILE = '<img src=x onerror="document.title=1/0">';

/** A browser that recognizes one sentence and records what it speaks. */
const BROWSER_VOICE = `
  window.spoken = [];
  let heard = false;
  window.SpeechRecognition = window.webkitSpeechRecognition = class {
    start() {
      if (heard) return;
      heard = true;
      setTimeout(() => {
        const result = Object.assign([{ transcript: 'Is Friday free?' }], { isFinal: true });
        this.onresult({ resultIndex: 0, results: [result] });
        this.onend();
      }, 200);
    }
    abort() {}
  };
  window.SpeechSynthesisUtterance = class { constructor(text) { this.text = text; } };
  Object.defineProperty(window, 'speechSynthesis', { value: {
    getVoices: () => [{}],
    cancel() {},
    speak(utterance) { window.spoken.push(utterance.text); setTimeout(() => utterance.onend(), 50); },
  } });`;

export function assistantsSuite(stage: () => DashboardStage): void {
  describe('assistants', () => {
    let team: Team;
    let server: Receiver;
    beforeAll(async () => {
      team = await stage().createTeam('Assistants');
      server = await receiver();
    });
    afterAll(() => server?.close());

    const addAssistant = (name: string, config: object = {}): Promise<{ id: string }> =>
      team.api.data('POST', '/v1/assistant', { agent_name: name, config });
    const configOf = async (id: string) => (await team.api.data('GET', `/v1/assistant/${id}`)).config;
    const edit = (id: string, tab = 'prompt'): Promise<Page> =>
      stage().open(team.people.developer, `assistants/${id}?tab=${tab}`);
    const field = (page: Page, name: string): Locator => page.getByRole('textbox', { name, exact: true });
    const write = async (page: Page, name: string, text: string): Promise<void> => {
      await field(page, name).click();
      await page.keyboard.press('ControlOrMeta+a');
      await page.keyboard.insertText(text);
    };
    const untilSaved = (page: Page): Promise<void> => page.getByText(/^Saved /).waitFor();

    it('an assistant begins with a template, and is saved by keyboard; what is unsaved survives a reload [dashboard.60]', async () => {
      const page = await stage().open(team.people.developer, 'assistants');
      await page.getByRole('button', { name: 'Create an assistant' }).click();
      await page.getByRole('radio', { name: /Reception/ }).click();
      await field(page, 'Name').fill('Ada');
      await page.getByRole('button', { name: 'Create', exact: true }).click();
      await page.getByRole('heading', { name: 'Ada', level: 1 }).waitFor();
      const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
      expect((await configOf(id)).firstMessage).toContain('{{company}}');

      await write(page, 'First message', 'Hello {{caller}}, this is Ada.');
      await page.getByText('Unsaved changes', { exact: true }).waitFor();
      page.on('dialog', (dialog) => void dialog.accept());
      await page.reload();
      await page.getByText('Your unsaved changes are still here').waitFor();
      await page.getByText('Hello {{caller}}, this is Ada.').waitFor();
      expect((await configOf(id)).firstMessage).toContain('{{company}}');
      await page.keyboard.press('ControlOrMeta+s');
      await untilSaved(page);
      expect((await configOf(id)).firstMessage).toBe('Hello {{caller}}, this is Ada.');
      await checkPage(page, 'assistant');
      await page.goto(`${stage().url}assistants`);
      await page.getByRole('link', { name: 'Ada' }).waitFor();
      await checkPage(page, 'assistants');
    });

    it('of two editors, changes of different fields come together, and of the same field both versions are shown [dashboard.61]', async () => {
      const { id } = await addAssistant('Shared', { systemPrompt: 'Old prompt', firstMessage: 'Old words' });
      const [mine, theirs] = await Promise.all([edit(id), edit(id)]);
      await write(mine, 'Prompt', 'My prompt');
      await write(theirs, 'First message', 'Their words');
      await theirs.getByRole('button', { name: 'Save' }).click();
      await untilSaved(theirs);
      await mine.keyboard.press('ControlOrMeta+s');
      await mine.getByText('Their words').waitFor();
      await untilSaved(mine);
      expect(await configOf(id)).toMatchObject({ systemPrompt: 'My prompt', firstMessage: 'Their words' });

      await theirs.getByText('My prompt').waitFor();
      await write(mine, 'Prompt', 'My second prompt');
      await write(theirs, 'Prompt', 'Their second prompt');
      await theirs.keyboard.press('ControlOrMeta+s');
      await untilSaved(theirs);
      await mine.keyboard.press('ControlOrMeta+s');
      const dialog = mine.getByRole('dialog', { name: /Another person saved/ });
      await dialog.getByText('My second prompt').waitFor();
      await dialog.getByText('Their second prompt').waitFor();
      expect((await configOf(id)).systemPrompt).toBe('Their second prompt');
      await dialog.getByRole('radio', { name: 'Yours' }).check();
      await dialog.getByRole('button', { name: 'Go on with this' }).click();
      await mine.keyboard.press('ControlOrMeta+s');
      await untilSaved(mine);
      expect((await configOf(id)).systemPrompt).toBe('My second prompt');
    });

    it('the configuration can be edited as JSON, with keys of one’s own; the other tabs show it [dashboard.62]', async () => {
      const { id } = await addAssistant('Json');
      const page = await edit(id, 'json');
      const editor = page.getByRole('textbox', { name: 'Configuration as JSON' });
      await editor.waitFor();
      const config = await configOf(id);
      const text = JSON.stringify({
        agent_name: 'Json',
        agent_type: 'Single Prompt',
        config: { ...config, firstMessage: 'By JSON', mine: { a: [1] } },
      });
      await write(page, 'Configuration as JSON', `${text.slice(0, -1)},`);
      await page.getByText('Not taken over yet').waitFor();
      await write(page, 'Configuration as JSON', text);
      await page.getByRole('tab', { name: 'Prompt' }).click();
      await page.getByText('By JSON').waitFor();
      await page.keyboard.press('ControlOrMeta+s');
      await untilSaved(page);
      expect(await configOf(id)).toEqual({ ...config, firstMessage: 'By JSON', mine: { a: [1] } });
      await page.getByRole('tab', { name: 'JSON' }).click();
      await checkPage(page, 'assistant-json');
    });

    it('the unsaved draft is tested by text, with variables, tools and latencies [dashboard.63]', async () => {
      server.script('/day', { delayMs: 1_500, body: { available: true, note: 'a free day' } });
      const { id } = await addAssistant('Test', { firstMessage: 'Stored words' });
      await team.api.data('POST', '/v1/tool/custom', {
        agent_id: id,
        tool_name: 'check_availability',
        description: 'Checks whether a day is free',
        endpoint_url: `${server.url}/day`,
        http_method: 'POST',
        parameters: { type: 'object', properties: { day: { type: 'string' } }, required: ['day'] },
      });
      const page = await edit(id);
      await write(page, 'First message', 'Hello {{caller}} of the draft.');
      const pane = page.getByRole('complementary', { name: 'Test' });
      await pane.getByText('Your unsaved draft').waitFor();
      await pane.getByLabel('caller').fill('Grace');
      await pane.getByRole('button', { name: 'Start the conversation' }).click();
      await pane.getByText('Hello Grace of the draft.').waitFor();
      await pane
        .getByText(/ms to the first words/)
        .first()
        .waitFor();
      await pane.getByLabel('What you say').fill('Please check availability on Friday.');
      await page.keyboard.press('Enter');
      const tool = pane.getByRole('button', { name: /check_availability/ });
      await pane.getByText('running', { exact: true }).waitFor();
      expect(await tool.isVisible()).toBe(false);
      await tool.waitFor();
      await tool.click();
      await pane.getByRole('region', { name: 'Arguments' }).getByText('Friday').waitFor();
      await pane.getByRole('region', { name: 'Result' }).getByText('a free day').waitFor();
      await checkPage(page, 'assistant-test');
      await pane.getByRole('button', { name: 'Restart the conversation' }).click();
      await tool.waitFor({ state: 'detached' });
      expect((await configOf(id)).firstMessage).toBe('Stored words');
      const { body } = await team.api.request('POST', '/v2/call/list', {});
      expect(body.data).toEqual([]);
    });

    it('where the server has no voice, the browser’s own is used and named; where that fails, it is said and text is offered [dashboard.63]', async () => {
      const { id } = await addAssistant('Spoken', { firstMessage: 'Hello, this is Ada.' });
      const page = await stage().openWithSpeech(team.people.developer, `assistants/${id}`);
      await page.route('**/v1/voice', async (route) => {
        const response = await route.fetch();
        const body = await response.json();
        const data = body.data.map((voice: object) => ({ ...voice, available: false }));
        await route.fulfill({ response, json: { ...body, data } });
      });
      await page.reload();
      const pane = page.getByRole('complementary', { name: 'Test' });
      await pane.getByText('Voice', { exact: true }).click();
      await pane.getByText('The voice of your browser, not that of calls').waitFor();
      await checkPage(page, 'assistant-voice');
      // Chromium of Debian has the interface and nothing that recognizes.
      await pane.getByRole('button', { name: 'Talk', exact: true }).click();
      await pane.getByRole('alert').filter({ hasText: 'Talking does not work here' }).waitFor();
      await pane.getByRole('button', { name: 'Go on by text' }).click();
      await pane.getByText('Hello, this is Ada.').waitFor();
      expect(await pane.getByLabel('What you say').isEnabled()).toBe(true);

      await page.addInitScript(BROWSER_VOICE);
      await page.reload();
      await pane.getByText('Voice', { exact: true }).click();
      await pane.getByRole('button', { name: 'Talk', exact: true }).click();
      await pane.getByText('Is Friday free?').waitFor();
      await eventually(async () =>
        expect(await page.evaluate('window.spoken')).toEqual(['Hello, this is Ada.', expect.any(String)]),
      );
    });

    it('what the API refuses is said at its field, which gets the focus [dashboard.64]', async () => {
      const { id } = await addAssistant('Wrong');
      const page = await edit(id, 'webhook');
      await page.getByLabel('URL').fill('http://example.com/hook');
      await page.getByRole('tab', { name: 'Prompt' }).click();
      await page.getByRole('button', { name: 'Save' }).click();
      const url = page.getByLabel('URL');
      await eventually(async () => expect(await url.getAttribute('aria-invalid')).toBe('true'));
      await page.locator('[data-path="config.settings.webhookUrl"]:focus').waitFor();
      await page.getByRole('alert').filter({ hasText: 'Webhook URL' }).waitFor();
      await url.fill('https://example.com/hook');
      await page.keyboard.press('ControlOrMeta+s');
      await untilSaved(page);
      expect((await configOf(id)).settings.webhookUrl).toBe('https://example.com/hook');
    });

    it('a viewer sees everything and changes nothing; texts are inert [dashboard.65]', async () => {
      const { id } = await addAssistant(HOSTILE, { systemPrompt: HOSTILE, firstMessage: `{{${HOSTILE}}}` });
      await team.api.data('POST', '/v1/tool/custom', {
        agent_id: id,
        tool_name: 'look_up',
        description: HOSTILE,
        endpoint_url: server.url,
        http_method: 'POST',
      });
      const page = await stage().open(team.people.viewer, `assistants/${id}`);
      await page.getByRole('heading', { name: HOSTILE, level: 1 }).waitFor();
      await page.getByText('You can look at everything and change nothing').waitFor();
      expect(await field(page, 'Name').isDisabled()).toBe(true);
      const save = page.getByRole('button', { name: 'Save' });
      expect(await save.getAttribute('aria-disabled')).toBe('true');
      expect(await save.getAttribute('aria-description')).toContain('viewer');
      for (const tab of ['Tools', 'Analysis', 'Webhook', 'JSON']) {
        await page.getByRole('tab', { name: tab }).click();
        await page.getByText(HOSTILE).first().waitFor();
      }
      expect(
        await page.getByRole('textbox', { name: 'Configuration as JSON' }).getAttribute('aria-readonly'),
      ).toBe('true');
      await page.goto(`${stage().url}tools`);
      await page.getByText('look_up').waitFor();
      await checkPage(page, 'tools');
    });

    it('custom tools are defined by a form or as a schema, and their secrets are never shown; one is tried with given arguments [dashboard.66] [tools.25]', async () => {
      const { id } = await addAssistant('Tools');
      const page = await edit(id, 'tools');
      await page.getByRole('button', { name: 'Add tool' }).click();
      const drawer = page.getByRole('dialog', { name: 'New tool' });
      await drawer.getByLabel('Name', { exact: true }).fill('check day');
      await drawer.getByText('Letters, digits and underscores only').waitFor();
      await drawer.getByLabel('Name', { exact: true }).fill('check_day');
      await drawer.getByLabel('When to use it').fill('Checks whether a day is free');
      await drawer.getByLabel('URL', { exact: true }).fill(`${server.url}/day`);
      await drawer.getByRole('button', { name: 'Add argument' }).click();
      const argument = drawer.getByRole('group', { name: 'Argument argument' });
      await argument.getByLabel('Name').fill('day');
      await drawer.getByRole('button', { name: 'Add header' }).click();
      await drawer.getByLabel('Name of header 1').fill('Authorization');
      await drawer.getByLabel('Value of header Authorization').fill('Bearer secret-of-the-tool');
      await drawer.getByRole('button', { name: 'Add tool' }).click();
      await page.getByRole('switch', { name: 'Use check_day' }).waitFor();
      const [tool] = (await team.api.request('POST', '/v1/tool/list', { agent_id: id, search: 'check_day' }))
        .body.data;
      expect(tool.parameters).toEqual({
        type: 'object',
        properties: { day: { type: 'string' } },
        required: ['day'],
      });
      expect((await configOf(id)).toolIds).toContain(tool.id);

      await page.getByRole('button', { name: 'check_day', exact: true }).click();
      const stored = page.getByRole('dialog', { name: 'check_day' });
      await stored.getByPlaceholder('•••••••• (stored)').waitFor();
      expect(await page.content()).not.toContain('secret-of-the-tool');
      server.script('/day', { body: { free: 'on Friday' } });
      await stored.getByRole('tab', { name: 'Try it' }).click();
      await stored.getByRole('textbox', { name: /^day/ }).fill('Friday');
      await stored.getByRole('button', { name: 'Call the endpoint' }).click();
      await stored.getByText('on Friday').waitFor();
      expect(server.requests('/day').at(-1)?.headers).toMatchObject({
        authorization: 'Bearer secret-of-the-tool',
        'x-test-call': 'true',
      });
      await checkPage(page, 'tool');
    });
  });
}
