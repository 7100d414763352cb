import { setNumberActivation } from '@parley/contracts';
import { Command, Option } from 'commander';
import type { KeyType } from '../domain/keys/key-format.ts';
import * as administer from '../domain/workspaces/administer.ts';
import { ROLES, type Role } from '../domain/workspaces/ports.ts';
import * as read from './arguments.ts';
import { addAssistantCommands } from './assistant-commands.ts';
import { group, type Run } from './command-group.ts';
import { OPERATOR } from './operator.ts';
import { addSecretsCommands } from './secrets-commands.ts';

/** The operator's command (D2.4): a sub-command per noun and verb. Throws `CommanderError` instead of exiting. */
export function buildProgram(run: Run): Command {
  const program = new Command('parley')
    .description("Parley's operator's command. Each answers with one line of JSON.")
    .exitOverride();
  addWorkspaceCommands(program, run);
  addKeyCommands(program, run);
  addOtherCommands(program, run);
  addSecretsCommands(program, run);
  addAssistantCommands(program, run);
  return program;
}

const workspaceOption = () =>
  new Option('--workspace <id>', 'the workspace').makeOptionMandatory().argParser(read.id);
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
    .option('--max-live-calls <count>', 'calls at once', read.wholeNumber(0))
    .action(
      ({
        workspace: id,
        ...settings
      }: { workspace: string } & Parameters<typeof administer.setWorkspace>[2]) =>
        run((context) => administer.setWorkspace(context, id, settings)),
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
        administer.createKey(context, {
          workspaceId: o.workspace,
          type: o.type,
          name: o.name,
          expiresAt: o.expiresAt ?? null,
        }),
      ),
    );
  key
    .command('list')
    .description("list a workspace's keys, never the keys themselves")
    .addOption(workspaceOption())
    .action((o: { workspace: string }) => run((context) => administer.listKeys(context, o.workspace)));
  key
    .command('revoke')
    .description('refuse a key from now on, everywhere within a second')
    .addOption(idOption('the key'))
    .action((o: { id: string }) => run((context) => administer.revokeKey(context, o.id)));
}

function addOtherCommands(program: Command, run: Run): void {
  group(program, 'member', 'add people to workspaces')
    .command('add')
    .description('add a person, or change the role of one who is there')
    .addOption(workspaceOption())
    .requiredOption('--email <email>', 'the e-mail address', read.email)
    .addOption(
      new Option('--role <role>', 'what the person may do').choices([...ROLES]).makeOptionMandatory(),
    )
    .action((o: { workspace: string; email: string; role: Role }) =>
      run((context) => administer.addMember(context, o.workspace, o.email, o.role)),
    );

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
