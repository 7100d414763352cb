import { toolExecution, turn, uuid, type WebhookEvent, webhookEvent } from '@parley/contracts';
import { z } from 'zod';

/** The fields of a lifecycle event that the demo reads. */
export const lifecycleEvent = z.object({ event: webhookEvent, call_id: uuid, payload: z.looseObject({}) });

const analyzedPayload = z.object({
  data: z.object({ transcript: z.array(turn), tools: z.array(toolExecution) }),
});

export type Analyzed = z.output<typeof analyzedPayload>['data'];

/** A received webhook. */
type Delivery = { webhookId: string; signed: boolean; content: z.output<typeof lifecycleEvent> };

type EventCount = { requests: number; signed: number; calls: number };

/** Received webhooks by call. Repetitions of an event are counted and otherwise ignored. */
export type Deliveries = {
  note(delivery: Delivery): void;
  /** The signed events of a call, in the order of their first arrival. */
  ofCall(callId: string): WebhookEvent[];
  analyzed(callId: string): Analyzed | undefined;
  count(event: WebhookEvent): EventCount;
  /** Requests without a valid signature. */
  unsigned(): number;
};

export function createDeliveries(): Deliveries {
  const all: Delivery[] = [];
  const arrived = new Map<string, WebhookEvent[]>();
  const analyses = new Map<string, Analyzed>();
  const seen = new Set<string>();

  const note = (delivery: Delivery): void => {
    all.push(delivery);
    const { webhookId, signed, content } = delivery;
    if (!signed || seen.has(webhookId)) return;
    seen.add(webhookId);
    arrived.set(content.call_id, [...(arrived.get(content.call_id) ?? []), content.event]);
    if (content.event !== 'call_analyzed') return;
    const read = analyzedPayload.safeParse(content.payload);
    if (read.success) analyses.set(content.call_id, read.data.data);
  };

  return {
    note,
    ofCall: (callId) => arrived.get(callId) ?? [],
    analyzed: (callId) => analyses.get(callId),
    count: (event) => {
      const of = all.filter(({ content }) => content.event === event);
      const signed = of.filter((delivery) => delivery.signed);
      return {
        requests: of.length,
        signed: signed.length,
        calls: new Set(signed.map(({ content }) => content.call_id)).size,
      };
    },
    unsigned: () => all.filter(({ signed }) => !signed).length,
  };
}

/** The events that the receiver must get for a call, in this order [calls.7] [webhooks.13]. */
export function expectedEvents(call: { answered_at: string | null }): WebhookEvent[] {
  return call.answered_at ? ['call_started', 'call_ended', 'call_analyzed'] : ['call_ended', 'call_analyzed'];
}
