import { monotonicMs } from '@parley/kit/time';
import type { Command } from 'commander';
import { countSecrets, type Report, reencryptSecrets } from '../domain/secrets/rotate-secrets.ts';
import { group, type Run } from './command-group.ts';

const PROGRESS_EVERY_MS = 1_000;
/** Of secrets that can't be opened; the line on stdout counts them all. */
const MOST_NAMED = 100;

export function addSecretsCommands(program: Command, run: Run): void {
  const secrets = group(program, 'secrets', 'move stored secrets to a new encryption key');
  secrets
    .command('reencrypt')
    .description('wrap every stored secret with the first of ENCRYPTION_KEYS; may be stopped and run again')
    .action(async () => {
      let left = 0;
      await run(async ({ keepers }) => {
        const rotated = await reencryptSecrets(keepers, createReport());
        left = Math.max(rotated.failed, rotated.remaining);
        return rotated;
      });
      if (left > 0) throw new Error(`${left} secrets are not under the first key: keep the old keys.`);
    });
  secrets
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
      say(`${service}: ${reencrypted} secrets so far`);
    },
    done: (service, { key_id, reencrypted }) =>
      say(`${service}: ${reencrypted} secrets moved to key ${key_id}`),
    failed: (service, { table, column, id, reason }) => {
      named += 1;
      if (named <= MOST_NAMED) say(`${service}: ${table}.${column} of ${id} stays as it is. ${reason}`);
      if (named === MOST_NAMED) say('Further ones are counted, not named.');
    },
  };
}

function say(sentence: string): void {
  process.stderr.write(`${sentence}\n`);
}
