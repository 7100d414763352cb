import { monotonicMs } from '@parley/kit/time';
import type { Command } from 'commander';
import { countSecrets, type Report, reencryptSecrets } from '../domain/secrets/rotate-secrets.ts';
import { group, type Run } from './command-group.ts';

const PROGRESS_EVERY_MS = 1_000;
/** Of a service's secrets that can't be opened; the others are counted. */
const MOST_NAMED = 10;

export function addSecretsCommands(program: Command, run: Run): void {
  const commands = group(program, 'secrets', 'move stored secrets to a new encryption key');
  commands
    .command('reencrypt')
    .description('wrap every stored secret with the first of ENCRYPTION_KEYS; may be stopped and run again')
    .action(async () => {
      let left = 0;
      await run(async ({ keepers }) => {
        const rotated = await reencryptSecrets(keepers, createReport());
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
    .description('count stored secrets by key; a key that is not named may go from ENCRYPTION_KEYS')
    .action(() => run(({ keepers }) => countSecrets(keepers)));
}

/** Sentences on stderr, within a service not more than one a second while all goes well. */
function createReport(): Report {
  let saidAtMs = monotonicMs();
  let named = 0;
  return {
    progress: (service, reencrypted) => {
      if (monotonicMs() - saidAtMs < PROGRESS_EVERY_MS) return;
      saidAtMs = monotonicMs();
      say(`${service}: ${secrets(reencrypted)} so far`);
    },
    done: (service, { key_id, reencrypted, failed }) => {
      if (failed > MOST_NAMED) say(`${service}: ${failed - MOST_NAMED} more stay as they are`);
      say(`${service}: ${secrets(reencrypted)} moved to key ${key_id}`);
      named = 0;
    },
    failed: (service, { table, column, id, reason }) => {
      named += 1;
      if (named <= MOST_NAMED) say(`${service}: ${table}.${column} of ${id} stays as it is. ${reason}`);
    },
  };
}

function secrets(count: number): string {
  return `${count} ${count === 1 ? 'secret' : 'secrets'}`;
}

function say(sentence: string): void {
  process.stderr.write(`${sentence}\n`);
}
