// Preloaded into a service that `npm start` runs (`node --import`): when that is gone, even by SIGKILL, the IPC channel
// closes, and the service stops as on a SIGTERM instead of living on unseen. The channel must not keep it alive.
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();
