// In a service's image: brings its database (DATABASE_URL) up to date, creating it where it is missing, and ends.
// With --wait: changes nothing, and ends when somebody else has done so.
import { migrate, untilMigrated } from '@parley/kit/migrations';

const databaseUrl = process.env.DATABASE_URL;
if (!databaseUrl) {
  console.error('DATABASE_URL is not set');
  process.exit(1);
}
const say = (line) => console.log(JSON.stringify(line));
const dir = 'prisma/migrations';
// As the first process of a container it hears of no signal that it doesn't listen for.
process.on('SIGTERM', () => process.exit(143));
if (process.argv.includes('--wait')) {
  await untilMigrated({
    databaseUrl,
    dir,
    onWait: (reason) => say({ msg: 'waiting for the migration', reason }),
  });
  say({ msg: 'migrated' });
} else {
  say({ msg: 'migrated', applied: await migrate({ databaseUrl, dir }) });
}
