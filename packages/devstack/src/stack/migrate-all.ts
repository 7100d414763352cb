import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { migrate } from '@parley/kit/migrations';
import { Problem } from '../terminal/problem.ts';
import type { Hint } from '../terminal/steps.ts';
import { databaseUrl } from './environment.ts';
import { serviceFolder } from './folders.ts';
import { SERVICES } from './services.ts';

/** Creates missing databases and migrates all of them. */
export async function migrateAll(serverUrl: string, stack: string, hint: Hint): Promise<void> {
  hint('migrating');
  const applied = await Promise.all(
    SERVICES.map(async (name) => {
      const dir = join(serviceFolder(name), 'prisma/migrations');
      if (!existsSync(dir)) return [];
      return migrate({ databaseUrl: databaseUrl(serverUrl, stack, name), dir }).catch((cause: unknown) => {
        const reason = cause instanceof Error ? cause.message : String(cause);
        throw new Problem(`The database of ${name} could not be migrated. ${reason}`);
      });
    }),
  );
  const count = applied.flat().length;
  hint(count > 0 ? `${count} ${count === 1 ? 'migration' : 'migrations'} applied` : 'up to date');
}
