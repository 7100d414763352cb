export { enqueue, type NewMessage } from './enqueue.ts';
export { createOutbox, type Outbox, type OutboxOptions } from './outbox.ts';
