import type { Context } from '../context.ts';

export function startAuditConsumer({ amqp, auditLog }: Pick<Context, 'amqp' | 'auditLog'>): void {
  amqp.consume({
    queue: 'gateway.audit',
    handlers: { 'audit.recorded': (message) => auditLog.store(message) },
  });
}
