export { createMigrationCheck } from './check-migrated.ts';
export { type MigrateOptions, migrate } from './migrate.ts';
export { type UntilMigratedOptions, untilMigrated } from './until-migrated.ts';
