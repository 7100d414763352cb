export { createChangeNotes, type NoteChange } from './change-notes.ts';
export { type Amqp, type AmqpOptions, connectAmqp } from './connect-amqp.ts';
export type { ConsumerOptions, Handler, HandlerContext, Handlers } from './consumer.ts';
export { declareTopology } from './declare-topology.ts';
export type { ReadContent, Redact } from './handle-delivery.ts';
export { deadExchangeName, deadQueueName, exchangeName, queueName } from './names.ts';
export type { Publication } from './publisher.ts';
export { MessageRefusedError } from './refusal.ts';
export { type DeadLetter, queuesOf, type RewriteOptions, type Rewritten } from './rewrite-dead-letters.ts';
