import { setNumberActivation } from '@parley/contracts';
import { noIdempotency } from '@parley/kit/idempotency';
import { Command, Option } from 'commander';
import type { KeyType } from '../domain/keys/key-format.ts';
import * as administer from '../domain/workspaces/administer.ts';
import * as keys from '../domain/workspaces/administer-keys.ts';
import type { WorkspaceSettings } from '../domain/workspaces/workspace.ts';
import * as read from './arguments.ts';
import { addAssistantCommands } from './assistant-commands.ts';
import { group, type Run } from './command-group.ts';
import { addMemberCommands } from './member-commands.ts';
import { BY, OPERATOR } from './operator.ts';
import { addSecretsCommands } from './secrets-commands.ts';
import { workspaceOption } from './workspace-option.ts';

/** The operator's command (D2.4): a sub-command per noun and verb. Throws `CommanderError` instead of exiting. */
export function buildProgram(run: Run): Command {
  const program = new Command('parley')
    .description("Parley's operator's command. Each answers with one line of JSON.")
    .exitOverride();
  addWorkspaceCommands(program, run);
  addKeyCommands(program, run);
  addMemberCommands(program, run);
  addOtherCommands(program, run);
  addSecretsCommands(program, run);
  addAssistantCommands(program, run);
  return program;
}

const idOption = (what: string) => new Option('--id <id>', what).makeOptionMandatory().argParser(read.id);

function addWorkspaceCommands(program: Command, run: Run): void {
  const workspace = group(program, 'workspace', 'create and set up workspaces');
  workspace
    .command('create')
    .description('make a workspace with its first keys, which are shown this once')
    .requiredOption('--name <name>', 'its name', read.label)
    .action((options: { name: string }) => run((context) => administer.createWorkspace(context, options)));
  workspace
    .command('set')
    .description("change a workspace's rate and limits; what isn't given stays")
    .addOption(workspaceOption())
    .option('--rate-cents <cents>', 'price of a minute in cents', read.wholeNumber(0))
    .option('--requests-per-minute <count>', 'requests a minute', read.wholeNumber(1))
    .option('--request-burst <count>', 'requests at once, or "default"', read.limit(1))
    .option('--calls-per-second <count>', 'calls created a second, or "default"', read.limit(1))
    .option('--call-burst <count>', 'calls created at once, or "default"', read.limit(1))
    .option('--max-live-calls <count>', 'calls at once', read.wholeNumber(0))
    .action(({ workspace: id, ...settings }: { workspace: string } & Record<string, number | 'default'>) =>
      run((context) => administer.setWorkspace(context, id, withoutDefaults(settings))),
    );
}

/** Commander keeps no null: what is set to `default` becomes that here. */
function withoutDefaults(settings: Record<string, number | 'default'>): WorkspaceSettings {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [name, value === 'default' ? null : value]),
  );
}

function addKeyCommands(program: Command, run: Run): void {
  const key = group(program, 'key', 'create, list and revoke API keys');
  key
    .command('create')
    .description('make a key, which is shown this once')
    .addOption(workspaceOption())
    .addOption(new Option('--type <type>', 'its type').choices(['private', 'public']).makeOptionMandatory())
    .option('--name <name>', 'a name to know it by', read.label, 'API key')
    .option('--expires-at <instant>', 'ISO 8601; never, if left out', read.instant)
    .action((o: { workspace: string; type: KeyType; name: string; expiresAt?: Date }) =>
      run((context) =>
        keys.createKey(
          context,
          { workspaceId: o.workspace, type: o.type, name: o.name, expiresAt: o.expiresAt ?? null },
          BY,
          noIdempotency,
        ),
      ),
    );
  key
    .command('list')
    .description("list a workspace's keys, never the keys themselves")
    .addOption(workspaceOption())
    .action((o: { workspace: string }) => run((context) => keys.listAllKeys(context, o.workspace)));
  key
    .command('revoke')
    .description('refuse a key from now on, everywhere within a second')
    .addOption(idOption('the key'))
    .action((o: { id: string }) => run((context) => keys.revokeKey(context, { id: o.id, by: BY })));
}

function addOtherCommands(program: Command, run: Run): void {
  const number = group(program, 'number', 'switch phone numbers on and off');
  for (const [verb, isActive] of [
    ['activate', true],
    ['deactivate', false],
  ] as const) {
    number
      .command(verb)
      .description(isActive ? 'let a number place calls' : 'keep a number from placing calls')
      .addOption(idOption('the phone number'))
      .action((o: { id: string }) =>
        run(({ telephony }) =>
          telephony.call(
            setNumberActivation,
            { params: { id: o.id }, body: { is_active: isActive } },
            OPERATOR,
          ),
        ),
      );
  }

  group(program, 'webhook-secret', 'rotate the secret that signs webhooks')
    .command('rotate')
    .description('make a new secret; the old one signs along for 24 hours')
    .addOption(workspaceOption())
    .action((o: { workspace: string }) =>
      run((context) => administer.rotateWebhookSecret(context, o.workspace)),
    );
}
