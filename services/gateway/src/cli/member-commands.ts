import { ROLES, type Role } from '@parley/contracts';
import { type Command, Option } from 'commander';
import { addMember, resetPassword } from '../domain/people/operate.ts';
import * as read from './arguments.ts';
import { group, type Run } from './command-group.ts';
import { workspaceOption } from './workspace-option.ts';

export function addMemberCommands(program: Command, run: Run): void {
  const member = group(program, 'member', 'bring people into workspaces');
  member
    .command('add')
    .description('invite a person (the token is shown this once), or change the role of one who is there')
    .addOption(workspaceOption())
    .requiredOption('--email <email>', 'the e-mail address', read.email)
    .addOption(
      new Option('--role <role>', 'what the person may do').choices([...ROLES]).makeOptionMandatory(),
    )
    .action((o: { workspace: string; email: string; role: Role }) =>
      run((context) => addMember(context, o.workspace, { email: o.email.toLowerCase(), role: o.role })),
    );
  member
    .command('reset-password')
    .description('give an account a new password, which is shown this once, and end its sessions')
    .requiredOption('--email <email>', 'the e-mail address', read.email)
    .action((o: { email: string }) => run((context) => resetPassword(context, o.email.toLowerCase())));
}
