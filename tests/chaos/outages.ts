import { runJest } from '@parley/devstack';

// tests/failure.test.ts with 200 contacts and slower calls: every service and the broker are killed while a campaign runs.
// OUTAGE_CONTACTS (200, a multiple of 20), OUTAGE_CLOCK_RATE (4), OUTAGE_PAUSE_MS (1500): delay before each kill.
const slow = { OUTAGE_CONTACTS: '200', OUTAGE_CLOCK_RATE: '4', OUTAGE_PAUSE_MS: '1500' };
const { code } = await runJest(
  ['tests/failure.test.ts'],
  { ...slow, ...process.env },
  new AbortController().signal,
);
process.exit(code);
