import type { Connection } from './connection.ts';

/**
 * Idle connections by origin and pinned address. The caller passes the addresses that it has just resolved and checked, so that a
 * connection to an address that the name no longer has is never reused.
 */
export type ConnectionPool = {
  take(origin: string, addresses: readonly string[]): Connection | undefined;
  give(connection: Connection): void;
  close(): void;
};

const MAX_IDLE = 1_024;
const MAX_IDLE_PER_KEY = 64;

const keyOf = (origin: string, address: string): string => `${origin} ${address}`;

export function createConnectionPool(): ConnectionPool {
  const idle = new Map<string, Connection[]>();
  let count = 0;
  let closed = false;

  const forget = (key: string, connection: Connection): void => {
    const list = idle.get(key);
    const index = list?.indexOf(connection) ?? -1;
    if (!list || index < 0) return;
    list.splice(index, 1);
    count -= 1;
    if (list.length === 0) idle.delete(key);
  };

  const takeOne = (key: string): Connection | undefined => {
    for (;;) {
      const connection = idle.get(key)?.at(-1);
      if (!connection) return undefined;
      forget(key, connection);
      if (connection.isOpen()) return Object.assign(connection, { reused: true });
      connection.destroy();
    }
  };

  return {
    take: (origin, addresses) => {
      for (const address of addresses) {
        const connection = takeOne(keyOf(origin, address));
        if (connection) return connection;
      }
      return undefined;
    },
    give: (connection) => {
      const key = keyOf(connection.origin, connection.address);
      const list = idle.get(key) ?? [];
      if (closed || !connection.isOpen() || count >= MAX_IDLE || list.length >= MAX_IDLE_PER_KEY)
        return connection.destroy();
      idle.set(key, [...list, connection]);
      count += 1;
      // Registered at its first return; undici closes idle connections.
      if (!connection.reused) connection.onClose(() => forget(key, connection));
    },
    close: () => {
      closed = true;
      for (const connection of [...idle.values()].flat()) connection.destroy();
    },
  };
}
