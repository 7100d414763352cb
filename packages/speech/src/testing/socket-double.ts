import type { WebSocket } from 'ws';
import { type Behaviour, later } from './provider-double.ts';

/** Sends messages in order, according to the behaviour. */
export function createSender(socket: WebSocket): (messages: unknown[], behaviour: Behaviour) => void {
  let last = Promise.resolve();
  const sendAll = async (messages: unknown[], behaviour: Behaviour): Promise<void> => {
    if (behaviour.kind === 'hang') return;
    if (behaviour.kind === 'garbage') return socket.send('<html>Welcome</html>');
    for (const message of messages) {
      if (behaviour.kind === 'slow') await later(behaviour.delayMs);
      socket.send(JSON.stringify(message));
      if (behaviour.kind === 'break') return socket.terminate();
      if (behaviour.kind === 'stall') return;
    }
  };
  return (messages, behaviour) => {
    last = last.then(() => sendAll(messages, behaviour)).catch(() => socket.terminate());
  };
}
