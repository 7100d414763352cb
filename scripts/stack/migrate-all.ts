import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { migrate } from '@parley/kit/migrations';
import { Problem } from '../terminal/problem.ts';
import type { Hint } from '../terminal/steps.ts';
import type { Environment } from './environment.ts';
import { serviceFolder } from './folders.ts';
import { SERVICES, type ServiceName } from './services.ts';

/** Creates the databases that are missing and brings all of them up to date. */
export async function migrateAll(environments: Record<ServiceName, Environment>, hint: Hint): Promise<void> {
  hint('migrating');
  const applied = await Promise.all(
    SERVICES.map(async (name) => {
      const dir = join(serviceFolder(name), 'prisma/migrations');
      const { DATABASE_URL } = environments[name];
      if (!DATABASE_URL || !existsSync(dir)) return [];
      return migrate({ databaseUrl: DATABASE_URL, dir }).catch((cause: unknown) => {
        const reason = cause instanceof Error ? cause.message : String(cause);
        throw new Problem(`The database of ${name} could not be migrated. ${reason}`);
      });
    }),
  );
  const count = applied.flat().length;
  hint(count > 0 ? `${count} ${count === 1 ? 'migration' : 'migrations'} applied` : 'up to date');
}
