export { type Amqp, type AmqpOptions, connectAmqp } from './connect-amqp.ts';
export type { ConsumerOptions, Handler, HandlerContext, Handlers } from './consumer.ts';
export { declareTopology } from './declare-topology.ts';
export { deadExchangeName, deadQueueName, exchangeName, queueName } from './names.ts';
export type { Publication } from './publisher.ts';
