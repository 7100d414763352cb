import { existsSync } from 'node:fs';
import { bootPlatform, type Platform } from '@parley/testkit/stage';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { WIDE } from './check-page.ts';
import { createTeam, type Person, type Team } from './team.ts';

/** Debian's. */
const CHROMIUM = '/usr/bin/chromium';
/** Its build without windows, which opens a page in half of the time, and has no interface of speech. */
const WITHOUT_WINDOWS = '/usr/bin/chromium-headless-shell';
export const hasBrowser = existsSync(CHROMIUM);

/** This machine, by a name that a browser does not trust without HTTPS. */
export const INSECURE_HOST = 'parley.test';
/** Of the platform in tests of the dashboard. */
const CLOCK_RATE = 10;

export type DashboardStage = {
  platform: Platform;
  url: string;
  createTeam(name: string): Promise<Team>;
  /** A browser of its own with one page, signed in without the form if a person is given. `path`: `calls?status=…`. */
  open(person?: Person, path?: string): Promise<Page>;
  /** The same with Chromium's interface of speech. */
  openWithSpeech(person: Person, path: string): Promise<Page>;
  /** Errors of scripts and of the page's policy so far, which no test should cause. */
  complaints: readonly string[];
  /** Closes the browsers of a suite. */
  closePages(): Promise<void>;
  stop(): Promise<void>;
};

/** One platform and one Chromium for all suites: starting them takes longer than most tests. */
export async function dashboardStage(): Promise<DashboardStage> {
  const [platform, browser] = await Promise.all([
    bootPlatform({ clockRate: CLOCK_RATE }),
    launch(existsSync(WITHOUT_WINDOWS) ? WITHOUT_WINDOWS : CHROMIUM),
  ]);
  let windowed: Promise<Browser> | undefined;
  const contexts: BrowserContext[] = [];
  const complaints: string[] = [];
  const openIn = async (browser: Browser, person: Person | undefined, path: string): Promise<Page> => {
    const context = await newContext(browser, contexts);
    if (person) await signIn(context, platform.url, person);
    const page = await context.newPage();
    listen(page, complaints);
    await page.goto(`${platform.url}/dashboard/${path}`);
    return page;
  };
  return {
    platform,
    url: `${platform.url}/dashboard/`,
    complaints,
    createTeam: (name) => createTeam(platform, name),
    open: (person, path = '') => openIn(browser, person, path),
    openWithSpeech: async (person, path) => {
      windowed ??= launch(CHROMIUM);
      return openIn(await windowed, person, path);
    },
    closePages: async () => {
      const closing = contexts.splice(0);
      // A handler of a test may still be at a request, which fails once its page is closed.
      const pages = closing.flatMap((context) => context.pages());
      await Promise.all(pages.map((page) => page.unrouteAll({ behavior: 'ignoreErrors' })));
      await Promise.all(closing.map((context) => context.close()));
    },
    stop: async () => {
      await browser.close();
      await (await windowed)?.close();
      await platform.stop();
    },
  };
}

function launch(executablePath: string): Promise<Browser> {
  const args = ['--no-sandbox', `--host-resolver-rules=MAP ${INSECURE_HOST} 127.0.0.1`];
  return chromium.launch({ executablePath, args });
}

async function newContext(browser: Browser, contexts: BrowserContext[]): Promise<BrowserContext> {
  const context = await browser.newContext({
    viewport: WIDE,
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  context.setDefaultTimeout(60_000);
  contexts.push(context);
  return context;
}

/** By the route of the form; the cookie belongs to all pages of the context. */
async function signIn(context: BrowserContext, url: string, { email, password }: Person): Promise<void> {
  const response = await context.request.post(`${url}/dashboard/api/session`, { data: { email, password } });
  if (response.status() !== 201) throw new Error(`${email}: ${response.status()} ${await response.text()}`);
}

/** What Chromium reports for every response that is not a 2xx. */
const FAILED_REQUEST = /^Failed to load resource/;
/** Of every page without HTTPS, which Chromium does not isolate. */
const NOT_ISOLATED = /^The Cross-Origin-Opener-Policy header has been ignored/;

function listen(page: Page, complaints: string[]): void {
  page.on('pageerror', (error) => complaints.push(`${page.url()}: ${error.stack ?? error.message}`));
  page.on('console', (message) => {
    const text = message.text();
    const isKnown = [FAILED_REQUEST, NOT_ISOLATED].some((known) => known.test(text));
    if (message.type() === 'error' && !isKnown) complaints.push(`${page.url()}: ${text}`);
  });
}
