// In a service's image: brings its database (DATABASE_URL) up to date, creating it where it is missing, and ends.
import { migrate } from '@parley/kit/migrations';

const databaseUrl = process.env.DATABASE_URL;
if (!databaseUrl) {
  console.error('DATABASE_URL is not set');
  process.exit(1);
}
const applied = await migrate({ databaseUrl, dir: 'prisma/migrations' });
console.log(JSON.stringify({ msg: 'migrated', applied }));
