// Preloaded into a service that `npm start` runs (`node --import`). When that is gone, even by SIGKILL, the IPC channel
// closes, and the service stops as on a SIGTERM instead of living on unseen; the channel must not keep it alive. And each
// port that the service listens on is told, since whoever answers at a port need not be the one we have started; and so is
// what the service wants a person to see at once (kit/secrets).
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
