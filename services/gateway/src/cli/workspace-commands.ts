import { type Command, Option } from 'commander';
import { requireOfWorkspace } from '../people/administer-people.ts';
import { deleteWorkspace, getDeletion } from '../removals/delete-workspace.ts';
import * as administer from '../workspaces/administer.ts';
import type { WorkspaceSettings } from '../workspaces/workspaces.store.ts';
import * as read from './arguments.ts';
import { group, type Run, workspaceOption } from './command.ts';
import { BY, OPERATOR } from './operator.ts';

type DeleteOptions = { workspace: string; confirm?: string; status?: true };

export function addWorkspaceCommands(program: Command, run: Run): void {
  const workspace = group(program, 'workspace', 'create, set up and delete workspaces');
  workspace
    .command('create')
    .description('create a workspace with its first keys, which are shown only once')
    .requiredOption('--name <name>', 'its name', read.label)
    .action((options: { name: string }) =>
      run((context) => administer.createWorkspace(context, options, BY)),
    );
  workspace
    .command('set')
    .description("change a workspace's rate and limits; other settings stay unchanged")
    .addOption(workspaceOption())
    .option('--rate-cents <cents>', 'price of a minute in cents', read.wholeNumber(0))
    .option('--requests-per-minute <count>', 'requests a minute', read.wholeNumber(1))
    .option('--request-burst <count>', 'requests at once, or "default"', read.limit(1))
    .option('--calls-per-second <count>', 'calls created a second, or "default"', read.limit(1))
    .option('--call-burst <count>', 'calls created at once, or "default"', read.limit(1))
    .option('--max-live-calls <count>', 'maximum concurrent calls', read.wholeNumber(0))
    .option(
      '--max-stored-mb <count>',
      'storage quota in MB, or "default": STORED_MB_PER_WORKSPACE, if that is set',
      read.limit(0),
    )
    .option('--allowed-destinations <prefixes>', 'such as +49,+43, or "any"', read.destinations)
    .option(
      '--daily-spend-limit-cents <cents>',
      'maximum cost of calls per day (UTC), or "none"',
      read.amount,
    )
    .option('--retain-calls-days <days>', 'days that calls are kept, or "default": forever', read.limit(1))
    .option('--retain-recordings-days <days>', 'days that recordings are kept, or "default"', read.limit(1))
    .option(
      '--retain-attempts-days <days>',
      'days that webhook attempts are kept, or "default"',
      read.limit(1),
    )
    .option(
      '--retain-contacts-days <days>',
      'days that contacts are kept after the end of their campaign, or "default": forever',
      read.limit(1),
    )
    .action(({ workspace: id, ...settings }: { workspace: string } & Record<string, Given>) =>
      run((context) => administer.setWorkspace(context, id, withoutDefaults(settings), BY)),
    );
  workspace
    .command('list')
    .description('list all workspaces, oldest first')
    .action(() => run((context) => administer.listWorkspaces(context)));
  workspace
    .command('show')
    .description("show a workspace's settings and limits")
    .addOption(workspaceOption())
    .action((o: { workspace: string }) => run((context) => administer.showWorkspace(context, o.workspace)));
  for (const [verb, suspended] of [
    ['suspend', true],
    ['resume', false],
  ] as const) {
    workspace
      .command(verb)
      .description(
        suspended
          ? 'reject its keys and sessions, pause its campaigns and end its live calls'
          : 'resume a suspended workspace',
      )
      .addOption(workspaceOption())
      .action((o: { workspace: string }) =>
        run((context) => administer.setSuspended(context, o.workspace, suspended, BY)),
      );
  }
  workspace
    .command('usage')
    .description('show the estimated storage of workspaces in MB, measured every minute; largest first')
    .addOption(workspaceOption().makeOptionMandatory(false))
    .option('--top <count>', 'number of workspaces', read.wholeNumber(1), 20)
    .action((options: { workspace?: string; top: number }) =>
      run((context) => administer.listUsage(context, options)),
    );
  workspace
    .command('delete')
    .description('delete a workspace: its keys are rejected at once, its data is removed in the background')
    .addOption(workspaceOption())
    .option('--confirm <name>', 'the name of the workspace: this cannot be undone', read.label)
    .option('--status', 'show the progress of the deletion')
    .action(({ workspace: workspaceId, confirm = '', status }: DeleteOptions) =>
      run(({ store, removals }) =>
        status
          ? getDeletion({ removals }, workspaceId)
          : deleteWorkspace(
              { store, removals },
              { workspaceId, confirm, requestedBy: `operator ${OPERATOR.actor.id}` },
            ),
      ),
    );
  workspace
    .command('require')
    .description('set the required sign-in methods of a workspace; API keys are not affected')
    .addOption(workspaceOption())
    .addOption(onOff('--second-factor', 'a second factor, or single sign-on'))
    .addOption(onOff('--sso', 'single sign-on'))
    .action((o: { workspace: string; secondFactor?: string; sso?: string }) =>
      run((context) => {
        const [secondFactor, sso] = [isOn(o.secondFactor), isOn(o.sso)];
        const required = {
          ...(secondFactor !== undefined && { secondFactor }),
          ...(sso !== undefined && { sso }),
        };
        return requireOfWorkspace(context, o.workspace, required, BY);
      }),
    );
}

const onOff = (flag: string, what: string) => new Option(`${flag} <on|off>`, what).choices(['on', 'off']);
const isOn = (value: string | undefined) => (value === undefined ? undefined : value === 'on');

/** Commander has no null, so `default` stands for it. */
type Given = number | 'default' | string[];

function withoutDefaults(settings: Record<string, Given>): WorkspaceSettings {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [name, value === 'default' ? null : value]),
  );
}
