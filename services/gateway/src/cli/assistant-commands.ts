import { rebuildNumberLinks } from '@parley/contracts';
import type { Peer } from '@parley/kit/http';
import type { Command } from 'commander';
import { group, type Run } from './command-group.ts';
import { OPERATOR } from './operator.ts';

export function addAssistantCommands(program: Command, run: Run): void {
  group(program, 'assistant', 'set right what is told of assistants')
    .command('rebuild-numbers')
    .description("compare the numbers in the assistants' lists with the numbers that there are")
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

const rebuild = (assistants: Peer, after: string | null) =>
  assistants.call(rebuildNumberLinks, { body: { after } }, OPERATOR);
