// In a service's image: brings its database (DATABASE_URL) up to date, creating it where it is missing, and ends. Any number
// may run at once, before each replica: one works under a lock of the database, the others wait and find it done.

// As the first process of a container it gets no signal that it has no handler for. Before everything else is loaded.
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
