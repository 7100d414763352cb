import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { realSleep } from '@parley/kit/time';
import { checkFlite, checkPocketsphinx } from '@parley/speech';
import { bootPlatform } from '@parley/testkit/stage';
import { chromium, type Page } from 'playwright-core';
import { createUdpRelay } from './udp-relay.ts';

const CHROMIUM = '/usr/bin/chromium';
const HOST = '127.0.0.1';
const CALLS = Number(process.env.BENCH_BROWSER_CALLS ?? 10);
/** Enough of them that one call, such as the first of the worker and the browser, does not decide: 19 of 20 have to be within the bar. */
const DIRECT_CALLS = 2 * CALLS;
const FIRST_AUDIO_BAR_MS = 1_200;
const RECONNECT_BAR_MS = 3_000;
const FALLBACK_BAR_MS = 3_000;
const TIMEOUT_MS = 30_000;
const POLL_MS = 250;
/** Chromium starts processes after a page was loaded; a visitor reads before the click. Real time. */
const READ_MS = 3_000;
/** The port of discarded packets. */
const NOTHING_LISTENS = 9;
const SAMPLE_RATE = 16_000;
const WAV_HEADER_BYTES = 44;
/** Longer than a measurement. */
const LONG = ' This is a long greeting that goes on and on, until the measurement is over.'.repeat(10);
const GREETING = `Welcome to the house by the sea.${LONG}`;
/** With the visitor's name: no call before has had its first sentence. */
const OWN_GREETING = `Welcome, {{visitor}}, to the house by the sea.${LONG}`;
const NUMBERS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
const visitorOf = (n: number): string => `${NUMBERS[Math.floor(n / 10) % 10]} ${NUMBERS[n % 10]}`;

/** When things happened, in milliseconds of the page. */
type Marks = { clicked?: number; speaking?: number; reconnected?: number };

/** The widget's status says `Speaking` once the assistant can be heard. */
const OBSERVE = `
  window.marks = {};
  document.addEventListener('click', () => { marks.clicked ??= performance.now(); }, true);
  document.addEventListener('parley-state', ({ detail }) => {
    if (detail.state === 'reconnecting') marks.isLost = true;
    if (detail.state === 'active' && marks.isLost) marks.reconnected ??= performance.now();
  });
  const observe = () => {
    const root = document.querySelector('parley-call')?.shadowRoot;
    if (!root) return setTimeout(observe, 20);
    new MutationObserver(() => {
      if (root.querySelector('.status')?.textContent === 'Speaking') marks.speaking ??= performance.now();
    }).observe(root, { subtree: true, childList: true, characterData: true });
  };
  observe();`;

/** Spoken calls of the widget in Chromium, on a complete platform. True: within the bars, or not measured. */
export async function benchInBrowser(lifecycle: Lifecycle): Promise<boolean> {
  if (!(await isInstalled())) {
    console.log('in a browser: not measured without chromium, flite and pocketsphinx');
    return true;
  }
  const { newPage, relay } = await stage(lifecycle);

  const repeated: number[] = [];
  const own: number[] = [];
  const blocked: number[] = [];
  const reconnects: number[] = [];
  for (let n = 0; n < DIRECT_CALLS; n += 1) {
    repeated.push(await firstAudioMs(await newPage()));
    own.push(await firstAudioMs(await newPage({ visitor: visitorOf(n) })));
  }
  // It compiles the code of the worker and starts processes of the browser.
  console.log(`click → first audio, first call of a new worker: ${repeated[0]?.toFixed(0)} ms`);
  for (let n = 0; n < CALLS; n += 1) {
    blocked.push(
      await firstAudioMs(
        await newPage({ change: (_, line) => line.replace(PORT, ` ${NOTHING_LISTENS} typ`) }),
      ),
    );
    const page = await newPage({
      change: (port, line) => {
        relay.relayTo(port);
        return line.replace(PORT, ` ${relay.port} typ`);
      },
    });
    reconnects.push(await reconnectMs(page, relay.cut));
  }
  const direct = percentile(repeated, 0.95);
  return [
    report('click → first audio, the greeting of all calls', repeated, FIRST_AUDIO_BAR_MS),
    report('click → first audio, a greeting of its own', own, FIRST_AUDIO_BAR_MS),
    report('connection cut → connected again', reconnects, RECONNECT_BAR_MS),
    report('click → first audio, UDP blocked', blocked, direct + FALLBACK_BAR_MS),
  ].every(Boolean);
}

/** Of a candidate of an answer. */
const PORT = / (\d+) typ/;
type ChangeCandidate = (port: number, line: string) => string;
type PageOptions = { change?: ChangeCandidate; visitor?: string };

async function stage(lifecycle: Lifecycle) {
  const platform = await bootPlatform({
    env: { WEB_UDP_PORTS: '22000-22999', PATH: process.env.PATH ?? '' },
  });
  lifecycle.onStop('platform', platform.stop);
  const relay = await createUdpRelay(HOST);
  lifecycle.onStop('relay', relay.close);
  const createAssistant = (firstMessage: string) =>
    platform.api.data('POST', '/v1/assistant', { agent_name: 'Ada', config: { firstMessage } });
  const assistant = await createAssistant(GREETING);
  const personal = await createAssistant(OWN_GREETING);
  const { key } = (await platform.parley(
    ...['key', 'create', '--workspace', platform.workspace.workspace_id, '--type', 'public'],
    ...['--allowed-origins', platform.url],
  )) as { key: string };
  const microphone = await silentMicrophone();
  lifecycle.onStop('microphone', microphone.remove);
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: [
      ...['--no-sandbox', '--autoplay-policy=no-user-gesture-required', '--use-fake-ui-for-media-stream'],
      ...['--use-fake-device-for-media-stream', `--use-file-for-fake-audio-capture=${microphone.path}`],
    ],
  });
  lifecycle.onStop('browser', () => browser.close());

  const newPage = async ({ change, visitor }: PageOptions = {}): Promise<Page> => {
    const page = await browser.newPage();
    await page.addInitScript(OBSERVE);
    if (change)
      await page.route('**/widget/session/offer', async (route) => {
        const response = await route.fetch();
        const answer = await response.json();
        const lines = String(answer.data?.sdp).split('\r\n');
        answer.data.sdp = lines
          .map((line) => (line.startsWith('a=candidate') ? change(Number(PORT.exec(line)?.[1]), line) : line))
          .join('\r\n');
        await route.fulfill({ response, json: answer });
      });
    const called = visitor === undefined ? assistant : personal;
    const query = new URLSearchParams({
      agent_id: called.id,
      public_key: key,
      ...(visitor !== undefined && { variables: JSON.stringify({ visitor }) }),
    });
    await page.goto(`${platform.url}/widget/demo?${query}`);
    await page.getByRole('button', { name: 'Talk to us' }).waitFor();
    await realSleep(READ_MS);
    return page;
  };
  return { newPage, relay };
}

async function call(page: Page): Promise<Marks> {
  await page.getByRole('button', { name: 'Talk to us' }).click();
  return untilMarked(page, 'speaking');
}

/** The page's policy forbids what Playwright's own waiting does. */
async function untilMarked(page: Page, name: keyof Marks): Promise<Marks> {
  for (let waitedMs = 0; waitedMs < TIMEOUT_MS; waitedMs += POLL_MS) {
    const marks = (await page.evaluate('marks')) as Marks;
    if (marks[name] !== undefined) return marks;
    await realSleep(POLL_MS);
  }
  throw new Error(`A call was not ${name} within ${TIMEOUT_MS} ms`);
}

async function hangUp(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'End call' }).click();
  await page.getByRole('button', { name: 'Call again' }).waitFor({ timeout: TIMEOUT_MS });
  await page.close();
}

async function firstAudioMs(page: Page): Promise<number> {
  const { clicked = Number.NaN, speaking = Number.NaN } = await call(page);
  await hangUp(page);
  return speaking - clicked;
}

async function reconnectMs(page: Page, cut: () => void): Promise<number> {
  await call(page);
  const cutAtMs = (await page.evaluate('performance.now()')) as number;
  cut();
  const { reconnected = Number.NaN } = await untilMarked(page, 'reconnected');
  await hangUp(page);
  return reconnected - cutAtMs;
}

function report(name: string, values: readonly number[], barMs: number): boolean {
  const p95 = percentile(values, 0.95);
  const isMet = p95 <= barMs;
  console.log(
    `${name}, ${values.length} calls: p50 ${percentile(values, 0.5).toFixed(0)} ms, p95 ${p95.toFixed(0)} ms; ` +
      `bar: p95 ≤ ${barMs.toFixed(0)} ms: ${isMet ? 'met' : 'MISSED'}`,
  );
  return isMet;
}

/** The value that this share of the values does not exceed. */
function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

async function isInstalled(): Promise<boolean> {
  if (!existsSync(CHROMIUM)) return false;
  return Promise.all([checkFlite(), checkPocketsphinx()]).then(
    () => true,
    () => false,
  );
}

/** A second of silence, which Chromium repeats. */
async function silentMicrophone(): Promise<{ path: string; remove(): Promise<void> }> {
  const wav = Buffer.alloc(WAV_HEADER_BYTES + 2 * SAMPLE_RATE);
  wav.write('RIFF', 0);
  wav.writeUInt32LE(wav.length - 8, 4);
  wav.write('WAVEfmt ', 8);
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(SAMPLE_RATE, 24);
  wav.writeUInt32LE(2 * SAMPLE_RATE, 28);
  wav.writeUInt16LE(2, 32);
  wav.writeUInt16LE(16, 34);
  wav.write('data', 36);
  wav.writeUInt32LE(2 * SAMPLE_RATE, 40);
  const folder = await mkdtemp(join(tmpdir(), 'parley-bench-microphone-'));
  const path = join(folder, 'silence.wav');
  await writeFile(path, wav);
  return { path, remove: () => rm(folder, { recursive: true, force: true }) };
}
