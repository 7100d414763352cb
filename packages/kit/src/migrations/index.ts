export { createMigrationCheck } from './check-migrated.ts';
export { migrate } from './migrate.ts';
