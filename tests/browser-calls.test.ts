import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ROOT } from '@parley/devstack';
import { checkFlite, checkPocketsphinx } from '@parley/speech';
import { eventually, type Receiver, receiver } from '@parley/testkit';
import { bootPlatform, type Platform } from '@parley/testkit/stage';
import { build } from 'esbuild';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { microphoneFile } from './browser/microphone-file.ts';
import { type WebSite, webSite } from './browser/web-site.ts';

// A web call as visitors have it: Chromium, the widget on a client's site, a voice in the microphone.

const CHROMIUM = '/usr/bin/chromium';
const EXAMPLES = join(ROOT, 'packages/web/examples');
const LONG = { timeoutMs: 60_000 };
/** Still going on when the visitor begins, however long a busy machine takes to connect. */
const GREETING = `Welcome to the Acme company. ${'This is a long greeting that goes on and on, so that you can interrupt me whenever you like to do that. '.repeat(4).trim()}`;
const [WHO, END] = ['who is this', 'please end this call'];

const isInstalled =
  existsSync(CHROMIUM) &&
  (await Promise.all([checkFlite(), checkPocketsphinx()]).then(
    () => true,
    () => false,
  ));
if (!isInstalled)
  process.stdout.write('Calls in a browser: skipped without chromium, flite and pocketsphinx\n');
const describeBrowser = isInstalled ? describe : describe.skip;
const require = createRequire(import.meta.url);
const axe = await readFile(require.resolve('axe-core/axe.min.js'), 'utf8');

describeBrowser('calls in a browser', () => {
  let platform: Platform;
  let site: WebSite;
  let hooks: Receiver;
  let agentId = '';
  let publicKey = '';
  const browsers: Browser[] = [];
  const files: { remove(): Promise<void> }[] = [];

  beforeAll(async () => {
    platform = await bootPlatform({ env: { WEB_UDP_PORTS: '22000-22999', PATH: process.env.PATH ?? '' } });
    site = await webSite(platform.url);
    hooks = await receiver();
    const assistant = await platform.api.create('/v1/assistant', {
      agent_name: 'Ada',
      config: {
        firstMessage: GREETING,
        // The embedded recognition then hears these sentences and nothing else.
        transcriber: { keywords: [WHO, END] },
        settings: { webhookUrl: `${hooks.url}/hook` },
      },
    });
    agentId = assistant.id;
    const made = await platform.parley(
      ...['key', 'create', '--workspace', platform.workspace.workspace_id, '--type', 'public'],
      ...['--allowed-origins', site.origin],
    );
    publicKey = (made as { key: string }).key;
  });
  afterAll(async () => {
    for (const browser of browsers) await browser.close();
    for (const file of files) await file.remove();
    await platform?.stop();
    await site?.close();
    await hooks?.close();
  });

  /** A browser whose microphone plays this, or whose user denies access to it. */
  const open = async (microphone: readonly (number | string)[] | 'refused'): Promise<Page> => {
    const args = ['--no-sandbox', '--autoplay-policy=no-user-gesture-required'];
    if (microphone === 'refused') args.push('--deny-permission-prompts');
    else {
      const file = await microphoneFile(microphone);
      files.push(file);
      args.push('--use-fake-ui-for-media-stream', '--use-fake-device-for-media-stream');
      args.push(`--use-file-for-fake-audio-capture=${file.path}%noloop`);
    }
    const browser = await chromium.launch({ executablePath: CHROMIUM, args });
    browsers.push(browser);
    const page = await browser.newPage();
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    return page;
  };
  const complaints: string[] = [];

  const plainPage = async (path: string, attributes = ''): Promise<string> => {
    const html = (await readFile(join(EXAMPLES, 'plain.html'), 'utf8'))
      .replaceAll('SERVER', platform.url)
      .replaceAll('PUBLIC_KEY', publicKey)
      .replaceAll('AGENT_ID', agentId)
      .replace('<parley-call', `<parley-call ${attributes}`);
    return site.page(path, html);
  };
  const widgetOf = (page: Page): Locator => page.locator('parley-call');
  const callOf = async (page: Page) => {
    const id = await eventually(async () => {
      const { data } = (await platform.api.request('POST', '/v2/call/list', { size: 1 })).body;
      expect(data[0]).toMatchObject({ call_type: 'web' });
      return data[0].id as string;
    });
    await expect(page.isClosed()).toBe(false);
    return id;
  };
  const untilEnded = (id: string) =>
    eventually(async () => {
      const call = await platform.api.data('GET', `/v2/call/${id}`);
      expect(call).toMatchObject({ status: 'completed', summary: expect.any(String) });
      return call;
    }, LONG);
  const violationsOf = async (page: Page): Promise<string[]> => {
    await page.evaluate(axe);
    const found = (await page.evaluate('axe.run()')) as {
      violations: { id: string; nodes: { html: string }[] }[];
    };
    return found.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
  };

  it('are conversations: the assistant is interrupted, understands, uses its tool and hangs up [web-calls.5] [web-calls.9]', async () => {
    const page = await open([9_000, WHO, 9_000, END, 60_000]);
    await page.goto(await plainPage('/plain'));
    const widget = widgetOf(page);
    await widget.getByRole('button', { name: 'Ask Ada' }).click();
    await widget.locator('.turn.agent').first().waitFor({ timeout: 30_000 });
    expect(await violationsOf(page)).toEqual([]);
    const id = await callOf(page);
    await widget.getByRole('button', { name: 'Call again' }).waitFor({ timeout: 60_000 });
    const call = await untilEnded(id);
    const timeline: { type: string; role: string; content: string; tool_name: string }[] =
      await platform.api.data('GET', `/v2/call/${id}/timeline`);
    const said = (role: string): string[] =>
      timeline.filter((entry) => entry.type === 'turn' && entry.role === role).map(({ content }) => content);
    expect(said('user')).toEqual([WHO, END]);
    expect(GREETING.startsWith(said('agent')[0] ?? '-')).toBe(true);
    expect(said('agent')[0]?.length).toBeLessThan(GREETING.length);
    expect(await widget.locator('.turn.user').allTextContents()).toEqual([`You: ${WHO}`, `You: ${END}`]);
    expect(call).toMatchObject({ disconnection_reason: 'agent_hangup', call_sid: null, from_number: null });
    expect(timeline.filter(({ type }) => type === 'tool').map(({ tool_name }) => tool_name)).toEqual([
      'end_call',
    ]);
    await eventually(() => {
      const events = hooks.requests('/hook').map(({ body }) => JSON.parse(body));
      const own = events.filter(({ call_id }) => call_id === id).map(({ event }) => event);
      expect(own).toEqual(['call_started', 'call_ended', 'call_analyzed']);
    }, LONG);
    const recording = Buffer.from(await (await fetch(call.recording_url)).arrayBuffer());
    expect([recording.readUInt16LE(22), loudSeconds(recording)]).toEqual([
      2,
      [expect.any(Number), expect.any(Number)],
    ]);
    expect(Math.min(...loudSeconds(recording))).toBeGreaterThan(0.2);
    expect(complaints).toEqual([]);
  });

  it('are tests by voice in the dashboard: tools are between the turns, with arguments, result and latency [dashboard.63]', async () => {
    const { id } = await platform.api.data('POST', '/v1/assistant', {
      agent_name: 'Tested',
      config: { firstMessage: 'Hello.', transcriber: { keywords: [WHO, END] } },
    });
    const { workspace_id } = platform.workspace;
    const owner = ['--email', 'ada@example.org', '--create', 'owner'];
    const made = await platform.parley(...['member', 'link', '--workspace', workspace_id, ...owner]);
    const page = await open([9_000, WHO, 9_000, END, 60_000]);
    await page.goto((made as { sign_in_url: string }).sign_in_url);
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    await page.goto(`${platform.url}/dashboard/assistants/${id}`);
    const pane = page.getByRole('complementary', { name: 'Test' });
    await pane.getByText('Voice', { exact: true }).click();
    await pane.getByRole('button', { name: 'Start talking' }).click();
    const log = pane.getByRole('log', { name: 'Transcript' });
    await log
      .getByText(/^answered after \d+ ms$/)
      .first()
      .waitFor({ timeout: 60_000 });
    const tool = log.getByRole('button', { name: /^end_call/ });
    await tool.click({ timeout: 60_000 });
    await log.getByRole('region', { name: 'Arguments' }).waitFor();
    await log.getByRole('region', { name: 'Result' }).waitFor();
    expect(await tool.textContent()).toMatch(/\d+ ms/);
    expect(await log.textContent()).toMatch(new RegExp(`Hello[^]*${WHO}[^]*${END}[^]*end_call`));
    await pane.getByText('The call is over').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    complaints.length = 0;
  });

  it('go on after the page was loaded again, and end when the visitor hangs up [web-calls.5]', async () => {
    const page = await open([60_000]);
    await page.goto(await plainPage('/again'));
    const widget = widgetOf(page);
    await widget.getByRole('button', { name: 'Ask Ada' }).click();
    await widget.locator('.turn.agent').first().waitFor({ timeout: 30_000 });
    const id = await callOf(page);
    await page.reload();
    await widget.locator('.turn.agent').first().waitFor({ timeout: 30_000 });
    expect(await callOf(page)).toBe(id);
    await widget.getByRole('button', { name: 'Mute' }).click();
    await widget.getByRole('textbox').fill(WHO);
    await widget.getByRole('button', { name: 'Send' }).click();
    await widget.locator('.turn.user').filter({ hasText: WHO }).first().waitFor({ timeout: 30_000 });
    await widget.getByRole('button', { name: 'End call' }).click();
    expect(await untilEnded(id)).toMatchObject({ disconnection_reason: 'user_hangup' });
  });

  it('go on in writing after the page was loaded again [web-calls.4]', async () => {
    const page = await open([60_000]);
    await page.goto(await plainPage('/written', 'mode="text"'));
    const widget = widgetOf(page);
    await widget.getByRole('button', { name: 'Ask Ada' }).click();
    await widget.locator('.turn.agent').first().waitFor({ timeout: 30_000 });
    const id = await callOf(page);
    await page.reload();
    await widget.locator('.turn.agent').first().waitFor({ timeout: 30_000 });
    await widget.getByRole('textbox').fill(WHO);
    await widget.getByRole('button', { name: 'Send' }).click();
    await widget.locator('.turn.agent').nth(1).waitFor({ timeout: 30_000 });
    await widget.getByRole('button', { name: 'End call' }).click();
    expect(await untilEnded(id)).toMatchObject({ disconnection_reason: 'user_hangup' });
    expect(await callOf(page)).toBe(id);
  });

  it('end when the widget is removed while the microphone is being opened', async () => {
    const page = await open([60_000]);
    await page.addInitScript(`
      const real = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
      navigator.mediaDevices.getUserMedia = async (wanted) => {
        await new Promise((resolve) => { window.allow = resolve; });
        window.stream = await real(wanted);
        return window.stream;
      };`);
    await page.goto(await plainPage('/removed'));
    const before = (await platform.api.request('POST', '/v2/call/list', { size: 1 })).body.data[0]?.id;
    await widgetOf(page).getByRole('button', { name: 'Ask Ada' }).click();
    await eventually(async () => expect(await page.evaluate('window.allow !== undefined')).toBe(true), LONG);
    await page.evaluate(`document.querySelector('parley-call').remove(); window.allow();`);
    const states = `window.stream?.getTracks().map(({ readyState }) => readyState)`;
    await eventually(async () => expect(await page.evaluate(states)).toEqual(['ended']), LONG);
    const id = await eventually(async () => {
      const found = await callOf(page);
      expect(found).not.toBe(before);
      return found;
    });
    await eventually(
      async () => {
        const call = await platform.api.data('GET', `/v2/call/${id}`);
        // At that moment it may have been joined or not.
        expect(call.disconnection_reason).toMatch(/^(user_hangup|error_user_not_joined)$/);
      },
      { timeoutMs: 90_000 },
    );
  });

  it('tell the page of their end, also after an error', async () => {
    const page = await open([60_000]);
    await page.route('**/widget/session/offer', (route) => route.fulfill({ status: 503, body: '{}' }));
    await page.goto(await plainPage('/told'));
    await page.evaluate(`window.told = [];
      for (const name of ['parley-error', 'parley-end'])
        document.addEventListener(name, ({ type, detail }) => window.told.push([type, detail]));`);
    await widgetOf(page).getByRole('button', { name: 'Ask Ada' }).click();
    await eventually(
      async () =>
        expect(await page.evaluate('window.told')).toEqual([
          ['parley-error', { code: 'unavailable', message: expect.any(String) }],
          ['parley-end', { reason: null }],
        ]),
      LONG,
    );
    await widgetOf(page).getByRole('alert').filter({ hasText: 'not available' }).waitFor();
  });

  it('are carried by a WebSocket where UDP is blocked [web-calls.8]', async () => {
    const page = await open([9_000, END, 60_000]);
    // Nothing listens at the port of discarded packets.
    await page.route('**/widget/session/offer', async (route) => {
      const response = await route.fetch();
      const text = (await response.text()).replace(/ \d+ typ host/g, ' 9 typ host');
      await route.fulfill({ response, body: text });
    });
    await page.goto(await plainPage('/blocked'));
    const sockets: string[] = [];
    page.on('websocket', (socket) => sockets.push(socket.url()));
    const widget = widgetOf(page);
    await widget.getByRole('button', { name: 'Ask Ada' }).click();
    await widget.locator('.turn.agent').first().waitFor({ timeout: 30_000 });
    const id = await callOf(page);
    const call = await untilEnded(id);
    expect(sockets).toEqual([`${platform.url.replace('http', 'ws')}/widget/session/audio`]);
    expect(call.disconnection_reason).toBe('agent_hangup');
  });

  it('are refused through the gateway with the reason where no worker carries them [web-calls.8]', async () => {
    const call = await platform.api.data('POST', '/v2/call/web', { agent_id: agentId });
    const headers = {
      ...{ connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' },
      'sec-websocket-key': randomBytes(16).toString('base64'),
      'sec-websocket-protocol': `parley-audio, ${call.access_token}, ${'x'.repeat(22)}`,
    };
    const asked = request(`${platform.url}/widget/session/audio`, { headers }).end();
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    expect([response.statusCode, JSON.parse(await text(response)).error.code]).toEqual([409, 'CONFLICT']);
  });

  it('are written where the microphone is refused, and are not made from foreign pages [trust.7] [web-calls.4]', async () => {
    const page = await open('refused');
    await page.goto(await plainPage('/refused'));
    const widget = widgetOf(page);
    await widget.getByRole('button', { name: 'Ask Ada' }).click();
    await widget.getByRole('alert').filter({ hasText: 'microphone' }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await widget.getByRole('button', { name: 'Write instead' }).click();
    await widget.locator('.turn.agent').first().waitFor({ timeout: 30_000 });
    await widget.getByRole('textbox').fill('Please end this call.');
    await page.keyboard.press('Enter');
    await widget.getByRole('button', { name: 'Call again' }).waitFor({ timeout: 30_000 });

    await page.goto(`${platform.url}/widget/demo?agent_id=${agentId}&public_key=${publicKey}&mode=text`);
    expect(await violationsOf(page)).toEqual([]);
    await widget.getByRole('button', { name: 'Talk to us' }).click();
    await widget.getByRole('alert').filter({ hasText: 'not available on this page' }).waitFor();
  });

  it('can have an interface of its own, with React', async () => {
    const { outputFiles } = await build({
      stdin: {
        contents: `import { createElement } from 'react';
          import { createRoot } from 'react-dom/client';
          import { Assistant } from '${join(EXAMPLES, 'react.tsx')}';
          const props = ${JSON.stringify({ baseUrl: platform.url, publicKey, agentId })};
          createRoot(document.querySelector('#root')).render(createElement(Assistant, props));`,
        resolveDir: join(ROOT, 'tests'),
      },
      bundle: true,
      write: false,
      jsx: 'automatic',
      conditions: ['source'],
      define: { 'process.env.NODE_ENV': '"production"' },
    });
    site.script('/react.js', outputFiles[0]?.text ?? '');
    const page = await open([60_000]);
    await page.goto(
      site.page(
        '/react',
        '<!doctype html><title>R</title><div id="root"></div><script src="/react.js"></script>',
      ),
    );
    await page.getByRole('button', { name: 'Write to Ada' }).click();
    await page.getByText('Ada: Welcome').waitFor({ timeout: 30_000 });
    await page.getByRole('button', { name: 'End call' }).click();
    await page.getByRole('button', { name: 'Talk to Ada' }).click();
    await page.getByText('Ada: Welcome').waitFor({ timeout: 30_000 });
    await page.getByRole('button', { name: 'End call' }).click();
    await page.getByRole('button', { name: 'Talk to Ada' }).waitFor({ timeout: 30_000 });
  });

  it('are how an assistant is tested by voice, beside its editor in the dashboard [dashboard.63]', async () => {
    const page = await open([9_000, WHO, 60_000]);
    const { workspace_id: id } = platform.workspace;
    const { sign_in_url: link } = (await platform.parley(
      ...['member', 'link', '--workspace', id, '--email', 'owner@example.com', '--create', 'owner'],
    )) as { sign_in_url: string };
    await page.goto(link);
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor({ timeout: 30_000 });
    await page.goto(`${platform.url}/dashboard/assistants/${agentId}`);
    const pane = page.getByRole('complementary', { name: 'Test' });
    await pane.getByText('Voice', { exact: true }).click();
    await pane.getByRole('button', { name: 'Start talking' }).click();
    await pane.getByText(/^Welcome/).waitFor({ timeout: 30_000 });
    await pane.getByRole('log', { name: 'Transcript' }).getByText(WHO).waitFor({ timeout: 30_000 });
    await pane.getByRole('button', { name: 'Hang up' }).click();
    await pane.getByText('The call is over').waitFor();
    await pane.getByRole('link', { name: 'Open the call' }).click();
    await page.getByRole('heading', { name: 'Web visitor', level: 1 }).waitFor();
  });
});

/** Of both channels of a recording. */
function loudSeconds(wav: Buffer): [number, number] {
  const rate = wav.readUInt32LE(24);
  const loud: [number, number] = [0, 0];
  for (let at = 44; at + 4 <= wav.length; at += 4)
    for (const channel of [0, 1] as const)
      if (Math.abs(wav.readInt16LE(at + 2 * channel)) > 1_000) loud[channel] += 1 / rate;
  return loud;
}
