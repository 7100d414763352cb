export { type MigrateOptions, migrate } from './migrate.ts';
