// Preloaded into services (`node --import`). When the parent process ends, even by SIGKILL, the IPC channel closes and the
// service stops as on SIGTERM; the channel itself does not keep it alive. It also reports each port that the service listens
// on, since another process may have taken the expected one, and messages that a person must see (kit/secrets).
import { subscribe } from 'node:diagnostics_channel';

process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();
subscribe('tracing:net.server.listen:asyncEnd', ({ server }) => {
  const address = server.address();
  if (process.connected && typeof address === 'object') process.send({ listening: address?.port });
});
subscribe('parley:attention', (sentence) => {
  if (process.connected) process.send({ attention: sentence });
});
