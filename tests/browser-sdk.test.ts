import { existsSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { checkFlite } from '@parley/speech';
import { eventually } from '@parley/testkit';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { type FakeParley, fakeParley } from './browser/fake-parley.ts';
import { microphoneFile } from './browser/microphone-file.ts';

// The SDK, the hook and the widget at moments that a real server gives them rarely.

const CHROMIUM = '/usr/bin/chromium';
const LONG = { timeoutMs: 30_000 };
const LOUD = 1_000;
const isInstalled =
  existsSync(CHROMIUM) &&
  (await checkFlite().then(
    () => true,
    () => false,
  ));
if (!isInstalled) process.stdout.write('The web SDK in a browser: skipped without chromium and flite\n');
const describeBrowser = isInstalled ? describe : describe.skip;

describeBrowser('the web SDK in a browser', () => {
  let browser: Browser;
  let microphone: { path: string; remove(): Promise<void> };
  let context: BrowserContext;
  let parley: FakeParley;
  /** Uncaught errors of the pages. */
  const mistakes: string[] = [];

  beforeAll(async () => {
    microphone = await microphoneFile(['one two three four five six seven eight nine ten']);
    browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: [
        ...['--no-sandbox', '--autoplay-policy=no-user-gesture-required', '--use-fake-ui-for-media-stream'],
        ...['--use-fake-device-for-media-stream', `--use-file-for-fake-audio-capture=${microphone.path}`],
      ],
    });
  });
  afterAll(async () => {
    await browser?.close();
    await microphone?.remove();
  });

  beforeEach(async () => {
    context = await browser.newContext();
    parley = await fakeParley(context);
    mistakes.length = 0;
    context.on('page', (page) => page.on('pageerror', (err) => mistakes.push(String(err))));
  });
  afterEach(async () => {
    await context.close();
    parley.close();
  });

  const untilEqual = (page: Page, code: string, wanted: unknown) =>
    eventually(async () => expect(await page.evaluate(code)).toEqual(wanted), LONG);
  /** A page in a spoken call: `window.call`, and its events in `window.events`. */
  const spoken = async (before = '', path = '/'): Promise<Page> => {
    const page = await parley.page(path);
    await page.evaluate(`(async () => { ${before};
      window.events = [];
      window.call = await sdk.startCall(options);
      for (const name of ['state', 'error', 'end']) call.on(name, (event) => events.push([name, event.code ?? event]));
    })()`);
    await untilEqual(page, '[call.state, ...events.filter(([name]) => name !== "state")]', ['active']);
    return page;
  };
  const countOf = (name: string): number => parley.asked.filter((asked) => asked === name).length;

  it('goes on and ends as usual if a listener of the page throws', async () => {
    const page = await spoken();
    await page.evaluate(`for (const name of ['state', 'volume', 'transcript'])
      call.on(name, () => { throw new Error('a mistake of the page'); });`);
    parley.sockets[0]?.send(JSON.stringify({ type: 'turn', seq: 0, role: 'agent', text: 'Hello' }));
    await untilEqual(page, 'call.transcript.length', 1);
    await page.evaluate('void call.end()');
    await untilEqual(page, 'events.at(-1)', ['end', { reason: 'user_hangup' }]);
    expect(await page.evaluate('live()')).toBe(0);
    expect(mistakes).toContain('Error: a mistake of the page');
  });

  it('stops the microphone at once when the visitor hangs up, and opens none afterwards', async () => {
    const page = await spoken();
    expect(await page.evaluate('live()')).toBe(1);
    parley.held.add('POST /widget/session/leave');
    await page.evaluate('void call.end()');
    expect(await page.evaluate('[live(), call.state]')).toEqual([0, 'ended']);
    await page.evaluate(`call.setMicrophone('default')`);
    expect(await page.evaluate('live()')).toBe(0);
  });

  it('releases a microphone that was chosen while the call ended', async () => {
    const page = await spoken();
    await page.evaluate(`(async () => {
      const chosen = call.setMicrophone('default');
      await Promise.all([call.end(), chosen]);
    })()`);
    expect(await page.evaluate('[streams.length, live()]')).toEqual([2, 0]);
  });

  it('takes another microphone if its own is unplugged, and says so if there is none', async () => {
    const page = await spoken();
    const unplug = `streams.at(-1).getTracks()[0].stop(); streams.at(-1).getTracks()[0].dispatchEvent(new Event('ended'))`;
    await page.evaluate(unplug);
    await untilEqual(page, '[streams.length, live(), call.state]', [2, 1, 'active']);
    await page.evaluate(`navigator.mediaDevices.getUserMedia = async () => { throw new DOMException('', 'NotFoundError'); };
      ${unplug}`);
    await untilEqual(page, 'events.slice(-3)', [
      ['error', 'no_microphone'],
      ['state', 'ended'],
      ['end', { reason: 'user_hangup' }],
    ]);
    expect(countOf('POST /widget/session/leave')).toBe(1);
  });

  it('learns what was corrected while it was disconnected', async () => {
    const page = await spoken();
    const tell = (seq: number, text: string) =>
      parley.sockets[0]?.send(JSON.stringify({ type: 'turn', seq, role: 'agent', text }));
    tell(0, 'Hello, this is Ada.');
    tell(1, 'I say much more than that.');
    await untilEqual(page, 'call.transcript.length', 2);
    parley.messages = [{ seq: 0, role: 'agent', content: 'Hello' }];
    await parley.sockets[0]?.close();
    await untilEqual(page, 'call.transcript.map(({ text }) => text)', ['Hello']);
    expect(await page.evaluate('call.state')).toBe('active');
  });

  it('calls without a volume if the browser has no audio context for it', async () => {
    const page = await spoken(`const Real = AudioContext;
      window.AudioContext = class extends Real { constructor(given) { if (!given) throw new Error('too many'); super(given); } }`);
    await page.evaluate('call.end()');
    expect([await page.evaluate('events.map(([name]) => name)'), mistakes]).toEqual([
      ['state', 'state', 'end'],
      [],
    ]);
  });

  it('sends silence while it is muted, whichever microphone it uses, and keys', async () => {
    const page = await spoken();
    const loudest = async (): Promise<number> => {
      // What was on its way.
      await page.waitForTimeout(300);
      parley.levels.length = 0;
      await page.waitForTimeout(1_500);
      expect(parley.levels.length).toBeGreaterThan(20);
      return Math.max(...parley.levels);
    };
    expect(await loudest()).toBeGreaterThan(LOUD);
    await page.evaluate('call.mute(true)');
    expect([await page.evaluate('call.muted'), await loudest()]).toEqual([true, 0]);
    const { microphones } = (await page.evaluate('sdk.listDevices()')) as { microphones: unknown[] };
    expect(microphones.length).toBeGreaterThan(1);
    const last = '(await sdk.listDevices()).microphones.at(-1).deviceId';
    await page.evaluate(`(async () => call.setMicrophone(${last}))()`);
    const used = 'streams.at(-1).getTracks()[0].getSettings().deviceId';
    expect(await page.evaluate(`(async () => [live(), ${used} === ${last}])()`)).toEqual([1, true]);
    expect(await loudest()).toBe(0);
    await page.evaluate('call.mute(false)');
    expect(await loudest()).toBeGreaterThan(LOUD);
    await page.evaluate(`call.sendDigits('42#')`);
    await eventually(() => expect(parley.texts).toEqual([{ type: 'dtmf', digits: '42#' }]));
  });

  it.each([
    [
      'no_microphone',
      '/',
      `Object.assign(navigator.mediaDevices, { getUserMedia: async () => { throw new DOMException('', 'NotFoundError'); } })`,
    ],
    [
      'no_microphone',
      '/',
      `Object.assign(navigator.mediaDevices, { getUserMedia: async () => { throw new DOMException('', 'NotReadableError'); } })`,
    ],
    ['microphone_blocked', '/blocked', ''],
    ['network', '/', `window.fetch = async () => { throw new TypeError('Failed to fetch'); }`],
  ])('says why a call could not be started: %s', async (code, path, before) => {
    const page = await parley.page(path);
    await page.evaluate(before);
    expect(await page.evaluate('sdk.startCall(options).then(() => 0, (err) => err.code)')).toBe(code);
    // The widget too.
    await page.evaluate(`window.code = new Promise((resolve) =>
      document.addEventListener('parley-error', ({ detail }) => resolve(detail.code)));
      document.querySelector('parley-call').setAttribute('mode', 'audio');`);
    const widget = page.locator('parley-call');
    await widget.getByRole('button', { name: 'Talk to us' }).click();
    await widget.getByRole('alert').waitFor();
    expect(await page.evaluate('code')).toBe(code);
  });

  it('is one call, however often the hook is asked to start it', async () => {
    const page = await parley.page();
    await page.evaluate('render()');
    await untilEqual(page, 'window.hook?.state', 'idle');
    await page.evaluate('Promise.all([hook.start(), hook.start()])');
    await untilEqual(page, 'hook.state', 'active');
    expect(countOf('POST /widget/call')).toBe(1);
  });

  it('is ended if the visitor hangs up while the hook starts it', async () => {
    const page = await parley.page();
    await page.evaluate('render()');
    await untilEqual(page, 'window.hook?.state', 'idle');
    parley.held.add('POST /widget/call');
    await page.evaluate('window.starting = hook.start(); void 0');
    await untilEqual(page, 'hook.state', 'connecting');
    await page.evaluate('hook.hangUp()');
    await untilEqual(page, 'hook.state', 'idle');
    parley.held.clear();
    await page.evaluate('starting');
    expect(await page.evaluate('[hook.state, hook.call]')).toEqual(['idle', null]);
    expect(countOf('POST /widget/session/leave')).toBeGreaterThan(0);
  });

  it('does not report the end of one call as that of the next', async () => {
    const page = await parley.page();
    await page.evaluate('render()');
    await untilEqual(page, 'window.hook?.state', 'idle');
    await page.evaluate('hook.start()');
    await untilEqual(page, 'hook.state', 'active');
    // How it ended is known late.
    parley.held.add('GET /widget/session/messages');
    await page.evaluate(
      `window.first = hook.call; window.ended = false; first.on('end', () => { ended = true; }); void hook.hangUp();`,
    );
    await untilEqual(page, 'hook.state', 'ended');
    await page.evaluate('hook.start()');
    parley.held.clear();
    await untilEqual(page, 'ended', true);
    expect(await page.evaluate('[hook.end, hook.call !== first]')).toEqual([null, true]);
  });

  it('goes on in its tab after a reload, and not in a copy of the tab [web-calls.5]', async () => {
    const page = await parley.page();
    const widget = page.locator('parley-call');
    await widget.getByRole('button', { name: 'Talk to us' }).click();
    await eventually(() => expect(countOf('POST /widget/session/join')).toBe(1));
    await eventually(async () => expect(await page.evaluate('sessionStorage.length')).toBe(1));
    // The time of the call goes on, too.
    const launcher = widget.locator('.launcher');
    await eventually(async () => expect(secondsOf(await launcher.textContent())).toBeGreaterThan(3), LONG);
    await page.reload();
    await eventually(async () => expect(secondsOf(await launcher.textContent())).toBeGreaterThan(0), LONG);
    expect(secondsOf(await launcher.textContent())).toBeGreaterThan(3);
    await eventually(() => expect(countOf('POST /widget/session/join')).toBe(2));
    const [copy] = await Promise.all([
      context.waitForEvent('page'),
      page.evaluate('void open(location.href)'),
    ]);
    await copy.waitForLoadState();
    expect(await copy.evaluate('sessionStorage.length')).toBe(1);
    await copy.waitForTimeout(2_000);
    expect(countOf('POST /widget/session/join')).toBe(2);
  });
});

/** Of the label of a running call, `In call · 1:05`; 0 without a time. */
function secondsOf(label: string | null): number {
  const [, minutes, seconds] = /(\d+):(\d\d)$/.exec(label ?? '') ?? [];
  return Number(minutes ?? 0) * 60 + Number(seconds ?? 0);
}
