import { rebuildNumberLinks, setNumberActivation } from '@parley/contracts';
import type { ServiceClient } from '@parley/kit/http';
import { Command } from 'commander';
import { rotateWebhookSecret } from '../workspaces/administer.ts';
import { group, idOption, type Run, workspaceOption } from './command.ts';
import { addKeyCommands } from './key-commands.ts';
import { addDashboardCommands, addMemberCommands } from './member-commands.ts';
import { BY, OPERATOR } from './operator.ts';
import { addOutboxCommands } from './outbox-commands.ts';
import { addSecretsCommands } from './secrets-commands.ts';
import { addSipCommands } from './sip-commands.ts';
import { addWorkspaceCommands } from './workspace-commands.ts';

/** The operator's command [access.8]: a sub-command per noun and verb. Throws `CommanderError` instead of exiting. */
export function buildProgram(run: Run): Command {
  const program = new Command('parley')
    .description('The command for operators of Parley. Each command but `sip trace` prints one line of JSON.')
    .exitOverride();
  addWorkspaceCommands(program, run);
  addKeyCommands(program, run);
  addMemberCommands(program, run);
  addDashboardCommands(program, run);
  addOtherCommands(program, run);
  addSecretsCommands(program, run);
  addOutboxCommands(program, run);
  addSipCommands(program, run);
  return program;
}

function addOtherCommands(program: Command, run: Run): void {
  const number = group(program, 'number', 'activate and deactivate phone numbers');
  for (const [verb, isActive] of [
    ['activate', true],
    ['deactivate', false],
  ] as const) {
    number
      .command(verb)
      .description(isActive ? 'allow a number to place calls' : 'prevent a number from placing calls')
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
    .description('create a new secret; the old one also signs for 24 hours')
    .addOption(workspaceOption())
    .action((o: { workspace: string }) => run((context) => rotateWebhookSecret(context, o.workspace, BY)));

  group(program, 'assistant', 'repair data about assistants')
    .command('rebuild-numbers')
    .description("rebuild the assistants' lists of phone numbers from telephony's numbers")
    .action(() =>
      run(async ({ assistants }) => {
        const sum = { taken: 0, removed: 0 };
        let after: string | null = null;
        do {
          const step: Awaited<ReturnType<typeof rebuild>> = await rebuild(assistants, after);
          sum.taken += step.taken;
          sum.removed += step.removed;
          after = step.next;
        } while (after !== null);
        return sum;
      }),
    );
}

const rebuild = (assistants: ServiceClient, after: string | null) =>
  assistants.call(rebuildNumberLinks, { body: { after } }, OPERATOR);
