export { once } from './once.ts';
export { createInboxSweep, sweepInbox } from './sweep.ts';
