import { NO_WORKSPACE } from '@parley/kit/http';
import { monotonicMs } from '@parley/kit/time';
import type { Command } from 'commander';
import { countSecrets, type Report, reencryptSecrets } from '../secrets/rotate-secrets.ts';
import { group, type Run } from './command.ts';

const PROGRESS_EVERY_MS = 1_000;
/** Failures of one service that are printed; more are counted. */
const MAX_NAMED = 10;

export function addSecretsCommands(program: Command, run: Run): void {
  const commands = group(program, 'secrets', 'move stored secrets to a new encryption key');
  commands
    .command('reencrypt')
    .description(
      'reencrypt every stored secret with the first of ENCRYPTION_KEYS; can be interrupted and repeated',
    )
    .action(async () => {
      let left = 0;
      await run(async ({ secretStores, record }) => {
        const rotated = await reencryptSecrets(secretStores, createReport());
        const { services: _services, ...changes } = rotated;
        const target = { type: 'secrets', id: 'all' };
        await record(NO_WORKSPACE, { action: 'secrets.reencrypted', target, changes });
        left = Math.max(rotated.failed, rotated.remaining);
        return rotated;
      });
      if (left > 0) {
        const verb = left === 1 ? 'is' : 'are';
        throw new Error(`${secrets(left)} ${verb} not under the first key: keep the old keys.`);
      }
    });
  commands
    .command('status')
    .description('count stored secrets by key; a key that is not listed may be removed from ENCRYPTION_KEYS')
    .action(() => run(({ secretStores }) => countSecrets(secretStores)));
}

/** Prints to stderr, progress at most once a second. */
function createReport(): Report {
  let printedAtMs = monotonicMs();
  let named = 0;
  return {
    progress: (service, reencrypted) => {
      if (monotonicMs() - printedAtMs < PROGRESS_EVERY_MS) return;
      printedAtMs = monotonicMs();
      print(`${service}: ${secrets(reencrypted)} so far`);
    },
    done: (service, { key_id, reencrypted, failed }) => {
      if (failed > MAX_NAMED) print(`${service}: ${failed - MAX_NAMED} more are unchanged`);
      print(`${service}: ${secrets(reencrypted)} moved to key ${key_id}`);
      named = 0;
    },
    failed: (service, { table, column, id, reason }) => {
      named += 1;
      if (named <= MAX_NAMED) print(`${service}: ${table}.${column} of ${id} is unchanged. ${reason}`);
    },
  };
}

function secrets(count: number): string {
  return `${count} ${count === 1 ? 'secret' : 'secrets'}`;
}

function print(sentence: string): void {
  process.stderr.write(`${sentence}\n`);
}
