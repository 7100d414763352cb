export { contentOfTelephony } from './contents.ts';
export { enqueue, messagesOf, type NewMessage } from './enqueue.ts';
export { mountOutbox } from './mount-outbox.ts';
export { createOutbox, type Outbox, type OutboxOptions } from './outbox.ts';
export { createFindUnpublished } from './unpublished.ts';
