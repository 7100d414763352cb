import { join } from 'node:path';
import { runWithServers } from '@parley/devstack';

// `npm run screenshots`: pictures of the dashboard's main pages for README and docs.
runWithServers(join(import.meta.dirname, 'screenshots/take-screenshots.ts'));
