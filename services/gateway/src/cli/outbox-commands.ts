import { PUBLISHERS, type PublisherName } from '@parley/contracts';
import { type Command, Option } from 'commander';
import * as read from './arguments.ts';
import type { CliContext } from './cli-context.ts';
import { group, type Run } from './command.ts';

type OfOne = { service: PublisherName; id: string };

/** `parley outbox refused …`: messages that the broker has refused [trust.4]. */
export function addOutboxCommands(program: Command, run: Run): void {
  const outbox = group(program, 'outbox', 'messages that services publish');
  const refused = group(outbox, 'refused', 'messages that the broker refused');
  refused
    .command('list')
    .description('list refused messages without their content, oldest first')
    .addOption(serviceOption())
    .action(({ service }: { service?: PublisherName }) => run((context) => listRefused(context, service)));
  const each = [
    ['show', 'show a message with its content', 'read', undefined],
    ['requeue', 'publish a message again, with the same id', 'requeue', 'message.requeued'],
    ['discard', 'delete a message: its consumers never receive it', 'discard', 'message.discarded'],
  ] as const;
  for (const [verb, description, method, action] of each) {
    refused
      .command(verb)
      .description(description)
      .addOption(serviceOption().makeOptionMandatory())
      .addOption(new Option('--id <id>', 'the message').makeOptionMandatory().argParser(read.id))
      .action(({ service, id }: OfOne) =>
        run(async ({ refusedMessages, record }) => {
          const message = await refusedMessages(service)[method](id);
          const target = { type: 'message', id, name: `${service} ${message.type}` };
          if (action) await record(message.workspace_id, { action, target });
          return message;
        }),
      );
  }
}

const serviceOption = () =>
  new Option('--service <service>', 'the service that publishes it').choices(PUBLISHERS);

async function listRefused({ refusedMessages }: CliContext, service: PublisherName | undefined) {
  const services = service ? [service] : PUBLISHERS;
  const lists = await Promise.all(
    services.map(async (name) =>
      (await refusedMessages(name).list()).map((message) => ({ service: name, ...message })),
    ),
  );
  return lists.flat();
}
