import { ROLES, type Role } from '@parley/contracts';
import { type Command, Option } from 'commander';
import { addMember, proveAddress, resetPassword, resetSecondFactor } from '../people/administer-people.ts';
import { createSignInLink } from '../sign-in/sign-in-links.ts';
import * as read from './arguments.ts';
import { group, type Run, workspaceOption } from './command.ts';
import { BY } from './operator.ts';

type AccountOptions = { email: string; workspace?: string };

const accountOf = ({ email, workspace: workspaceId }: AccountOptions) => ({
  email: email.toLowerCase(),
  workspaceId,
});

const accountOption = () =>
  new Option(
    '--workspace <id>',
    'a workspace of the account, if several accounts have the address',
  ).argParser(read.id);

/** `parley dashboard link`, and `parley member link` among the other commands for people. */
export function addDashboardCommands(program: Command, run: Run): void {
  addLinkCommand(group(program, 'dashboard', 'open the dashboard'), run);
}

function addLinkCommand(parent: Command, run: Run): void {
  parent
    .command('link')
    .description('print a link that signs a member in to the dashboard once, within an hour')
    .addOption(workspaceOption())
    .requiredOption('--email <email>', 'the e-mail address', read.email)
    .addOption(
      new Option('--create <role>', 'make the person a member with this role, if they are not').choices([
        ...ROLES,
      ]),
    )
    .action((o: { workspace: string; email: string; create?: Role }) =>
      run((context) => {
        const input = { workspaceId: o.workspace, email: o.email.toLowerCase(), role: o.create };
        return createSignInLink(context, input, BY);
      }),
    );
}

export function addMemberCommands(program: Command, run: Run): void {
  const member = group(program, 'member', 'manage people in workspaces');
  member
    .command('add')
    .description('invite a person (the token is shown only once), or change the role of a member')
    .addOption(workspaceOption())
    .requiredOption('--email <email>', 'the e-mail address', read.email)
    .addOption(
      new Option('--role <role>', 'the role of the person').choices([...ROLES]).makeOptionMandatory(),
    )
    .action((o: { workspace: string; email: string; role: Role }) =>
      run((context) => addMember(context, o.workspace, { email: o.email.toLowerCase(), role: o.role }, BY)),
    );
  addLinkCommand(member, run);
  member
    .command('reset-password')
    .description('give an account a new password, which is shown only once, and end its sessions')
    .requiredOption('--email <email>', 'the e-mail address', read.email)
    .addOption(accountOption())
    .action((o: AccountOptions) => run((context) => resetPassword(context, accountOf(o), BY)));
  member
    .command('reset-totp')
    .description('remove the second factor of an account, so that its password is enough to sign in')
    .requiredOption('--email <email>', 'the e-mail address', read.email)
    .addOption(accountOption())
    .action((o: AccountOptions) => run((context) => resetSecondFactor(context, accountOf(o), BY)));
  member
    .command('prove')
    .description('confirm an address: its accounts are merged into one, which may join several workspaces')
    .requiredOption('--email <email>', 'the e-mail address', read.email)
    .addOption(accountOption())
    .action((o: AccountOptions) => run((context) => proveAddress(context, accountOf(o))));
}
