import type { WebSocket } from 'ws';
import { type Behavior, later } from './provider-double.ts';

/** Sends messages in order, according to the behavior. */
export function createSender(socket: WebSocket): (messages: unknown[], behavior: Behavior) => void {
  let last = Promise.resolve();
  const sendAll = async (messages: unknown[], behavior: Behavior): Promise<void> => {
    if (behavior.kind === 'hang') return;
    if (behavior.kind === 'garbage') return socket.send('<html>Welcome</html>');
    for (const message of messages) {
      if (behavior.kind === 'slow') await later(behavior.delayMs);
      socket.send(JSON.stringify(message));
      if (behavior.kind === 'break') return socket.terminate();
      if (behavior.kind === 'stall') return;
    }
  };
  return (messages, behavior) => {
    last = last.then(() => sendAll(messages, behavior)).catch(() => socket.terminate());
  };
}
