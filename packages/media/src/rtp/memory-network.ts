import type { MediaClock } from '../clock.ts';
import type { Address } from './latch.ts';
import type { Channel, PacketTransport } from './transport.ts';

/** Behavior of one direction of a network. */
export type NetworkConditions = {
  /** Share of packets that never arrive, 0 to 1. */
  loss?: number;
  /** Shortest time from sending to arrival. */
  delayMs?: number;
  /** Random additional delay of each packet, uniformly distributed; packets may overtake each other. */
  jitterMs?: number;
};

export type MemoryEnd = PacketTransport & { readonly address: Address };

const HOST = 'memory';
const FIRST_PORT = 4_000;

/**
 * Two transports that are connected without sockets. Conditions may be changed while packets are under way, by `setConditions`; they apply to
 * both directions.
 */
export function createMemoryNetwork(options: {
  clock: MediaClock;
  random: () => number;
  conditions?: NetworkConditions;
}): { ends: [MemoryEnd, MemoryEnd]; setConditions(conditions: NetworkConditions): void } {
  const { clock, random } = options;
  let conditions = options.conditions ?? {};
  const listeners: (((bytes: Uint8Array, channel: Channel, from: Address) => void) | undefined)[] = [];
  const addressOf = (end: number): Address => ({ address: HOST, port: FIRST_PORT + 2 * end });

  const createEnd = (end: number): MemoryEnd => {
    const pending = new Set<() => void>();
    return {
      address: addressOf(end),
      send(bytes, channel) {
        const { loss = 0, delayMs = 0, jitterMs = 0 } = conditions;
        if (random() < loss) return;
        const deliver = (): void => listeners[1 - end]?.(bytes, channel, addressOf(end));
        const takesMs = delayMs + jitterMs * random();
        if (takesMs <= 0) return deliver();
        const cancel = clock.timer(takesMs, () => {
          pending.delete(cancel);
          deliver();
        });
        pending.add(cancel);
      },
      onPacket(listener) {
        listeners[end] = listener;
      },
      close() {
        listeners[end] = undefined;
        // Packets sent earlier still arrive, unless both ends are closed.
        if (listeners.every((listener) => listener === undefined)) for (const cancel of pending) cancel();
      },
    };
  };

  return {
    ends: [createEnd(0), createEnd(1)],
    setConditions(next) {
      conditions = next;
    },
  };
}
