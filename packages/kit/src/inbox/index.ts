export { once, onceEach } from './once.ts';
export { createInboxSweep, sweepInbox } from './sweep.ts';
