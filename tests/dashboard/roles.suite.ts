import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isAtLeast, ROLES, type Role } from '@parley/contracts';
import type { Locator, Page } from 'playwright-core';
import type { DashboardStage } from './stage/dashboard-stage.ts';
import { type Furnished, furnish, PATHS, pathOf, untilLoaded } from './stage/every-page.ts';
import { PERMISSIONS, type Permission } from './stage/permissions.ts';
import type { Team } from './stage/team.ts';

type State = { path: string; open?: (page: Page) => Promise<unknown>; area?: (page: Page) => Locator };

const opened = (path: string, button: string, area: 'menu' | 'dialog'): State => ({
  path,
  open: async (page) => {
    await page.getByRole('button', { name: button, exact: true }).first().click();
    await page.getByRole(area).first().waitFor();
  },
  area: (page) => page.getByRole(area).first(),
});

const STATES: readonly State[] = [
  { path: 'calls/LIVE?tab=overview' },
  { path: 'campaigns/RUNNING' },
  ...PATHS.map((path) => ({ path })),
  opened('assistants', 'Actions of Ada', 'menu'),
  opened('assistants/AGENT?tab=tools', 'Actions of check_availability', 'menu'),
  opened('tools', 'check_availability', 'dialog'),
  opened('knowledge/BASE', 'More actions', 'menu'),
];

/** Whether each control can be used, by its page, kind and name. */
type Controls = Map<string, boolean>;

export function rolesSuite(stage: () => DashboardStage): void {
  describe('roles', () => {
    let team: Team;
    let furnished: Furnished;
    beforeAll(async () => {
      team = await stage().createTeam('Roles');
      furnished = await furnish(team, '+15550180001');
      await team.invite('viewer', 'guest@example.com');
    });
    afterAll(async () => {
      await furnished?.world.hooks.close();
    });
    const openAs = async (role: Role, { path, open }: State): Promise<Page> => {
      const page = await stage().open(team.people[role], pathOf(path, furnished.ids));
      await untilLoaded(page);
      if (path.startsWith('assistants/')) await page.getByRole('complementary', { name: 'Test' }).waitFor();
      await open?.(page);
      return page;
    };

    // What each request is answered is tested for every route and role by tests/authorization.test.ts.
    it.each(STATES.map((state) => [titleOf(state), state] as const))(
      'every control of /%s is enabled for the roles that may use it, and tells others which role it needs [dashboard.22] [dashboard.65]',
      async (title, state) => {
        const pages = await Promise.all(ROLES.map((role) => openAs(role, state)));
        const areas = pages.map((page) => state.area?.(page) ?? page.getByRole('main'));
        const seen = await Promise.all(areas.map((area) => controlsIn(area, title)));
        const owners = seen[0] ?? new Map();
        expect([...owners.keys()].filter((key) => permissionOf(key) === undefined)).toEqual([]);
        for (const [i, role] of ROLES.entries()) {
          const [area, controls] = [areas[i], seen[i]];
          if (!area || !controls) throw new Error(`nothing is known of ${role}`);
          expect([role, sorted(controls)]).toEqual([role, await expectedFor(role, owners, controls, area)]);
        }
      },
    );

    it('as a viewer, a disabled control does nothing [dashboard.22]', async () => {
      const page = await stage().open(team.people.viewer, 'favicon.svg');
      const changes: string[] = [];
      page.on('request', (request) => {
        // Lists are read with POST.
        if (request.method() !== 'GET' && !request.url().endsWith('/list')) changes.push(request.url());
      });
      let clicked = 0;
      for (const { path, open, area } of STATES) {
        await page.goto(`${stage().url}${pathOf(path, furnished.ids)}`);
        await untilLoaded(page);
        await open?.(page);
        const { pathname } = new URL(page.url());
        const dialogs = await page.getByRole('dialog').count();
        const disabled = (area?.(page) ?? page.getByRole('main'))
          .locator('button, a')
          .and(page.locator(DISABLED));
        for (const control of await disabled.all()) {
          // A menu is closed by a click on it.
          if (!(await control.isVisible())) continue;
          await control.click({ force: true });
          clicked += 1;
        }
        expect([path, await page.getByRole('dialog').count()]).toEqual([path, dialogs]);
        expect(new URL(page.url()).pathname).toBe(pathname);
      }
      expect(clicked).toBeGreaterThan(30);
      expect(changes).toEqual([]);
    });
  });
}

const DISABLED = '[aria-disabled="true"], [disabled]';

function titleOf({ path, area }: State): string {
  return area ? `${path} opened` : path;
}

function permissionOf(key: string): Permission | undefined {
  return PERMISSIONS.find(({ by }) => by.test(key));
}

/** What a person of a role should see of what the owner sees. */
async function expectedFor(role: Role, owners: Controls, controls: Controls, area: Locator): Promise<object> {
  const expected: Controls = new Map();
  for (const [key, isEnabled] of owners) {
    const { minimum, otherwise } = permissionOf(key) ?? { minimum: 'owner' };
    if (isAtLeast(role, minimum)) {
      expected.set(key, isEnabled);
      continue;
    }
    if (otherwise?.includes(': ')) {
      expected.set(otherwise, true);
      continue;
    }
    const isShown = otherwise === undefined || (otherwise === 'hidden' && controls.has(key));
    if (isShown) expected.set(key, false);
    if (!isShown && otherwise !== 'told') continue;
    const needed = minimum === 'owner' ? 'the role owner' : `at least the role ${minimum}`;
    const reason = `You are ${role} here; this needs ${needed}`;
    const told = `${isShown ? await descriptionOf(area, key) : ''} ${await area.textContent()}`;
    expect([key, told]).toEqual([key, expect.stringContaining(reason)]);
  }
  return sorted(expected);
}

const sorted = (controls: Controls): object => Object.fromEntries([...controls].sort());

const KINDS = 'button|link|textbox|searchbox|combobox|spinbutton|switch|checkbox|radio|slider|tab|menuitem';
/** A line of Playwright's tree of what assistive technology is told. */
const LINE = new RegExp(
  `^ *- (complementary|${KINDS})(?![a-z])(?: "((?:[^"\\\\]|\\\\.)*)")?((?: \\[[^\\]]*\\])*)`,
);

/** The controls of a part of a page. Those of the test pane are named `Test, …`. */
async function controlsIn(area: Locator, title: string): Promise<Controls> {
  const controls: Controls = new Map();
  let testDepth = Number.POSITIVE_INFINITY;
  for (const line of (await area.ariaSnapshot()).split('\n')) {
    const depth = line.search(/\S/);
    if (depth <= testDepth) testDepth = Number.POSITIVE_INFINITY;
    // A name with a colon makes YAML quote the line.
    const [, kind = '', name = '', states = ''] =
      LINE.exec(line.replace(/^( *- )'/, '$1').replaceAll("''", "'")) ?? [];
    if (kind === 'complementary') testDepth = name === 'Test' ? depth : testDepth;
    if (kind === '' || kind === 'complementary') continue;
    const key = `${title}: ${depth > testDepth ? 'Test, ' : ''}${kind} ${shortName(name)}`;
    const isEnabled = !states.includes('[disabled]') && !(await isReadOnly(area, kind, name));
    controls.set(key, isEnabled || (controls.get(key) ?? false));
  }
  return controls;
}

/** Of each person only the role, of texts only how they begin, and no time that goes on. */
function shortName(name: string): string {
  return name
    .replace(/-\d+@example\.com/, '')
    .replaceAll(/(?<![\d.])\d+:\d\d(?::\d\d)?(?!\d)/g, 'TIME')
    .slice(0, 60);
}

async function isReadOnly(area: Locator, kind: string, name: string): Promise<boolean> {
  if (kind !== 'textbox' || name === '') return false;
  return (
    (await area.getByRole('textbox', { name, exact: true }).first().getAttribute('aria-readonly')) === 'true'
  );
}

/** Of a button its own description, of a field that of any control beside it. */
async function descriptionOf(area: Locator, key: string): Promise<string> {
  const [, kind = '', name = ''] = /: (?:Test, )?(\w+) (.*)$/.exec(key) ?? [];
  if (kind === 'button' || kind === 'link' || kind === 'menuitem')
    return (await area.getByRole(kind, { name }).first().getAttribute('aria-description')) ?? '';
  const described = await area.locator('[aria-description]').all();
  return (await Promise.all(described.map((control) => control.getAttribute('aria-description')))).join('; ');
}
