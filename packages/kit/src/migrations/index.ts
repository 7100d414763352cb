export { createMigrationCheck } from './check-migrated.ts';
export { type MigrateOptions, migrate } from './migrate.ts';
