// In a service's image: migrates its database (DATABASE_URL), creating it if necessary, and exits. Several may run at the same
// time, one before each replica: the first acquires a lock in the database, the others wait and have nothing left to do.

// The first process of a container only receives signals that it handles: register before loading anything else.
process.on('SIGTERM', () => process.exit(143));
const { migrate } = await import('@parley/kit/migrations');

const databaseUrl = process.env.DATABASE_URL;
if (!databaseUrl) {
  console.error('DATABASE_URL is not set');
  process.exit(1);
}
const say = (line) => console.log(JSON.stringify(line));
const onWait = (reason) => say({ msg: 'waiting for the database', reason });
say({ msg: 'migrated', applied: await migrate({ databaseUrl, dir: 'prisma/migrations', onWait }) });
