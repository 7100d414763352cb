/**
 * Resolves when this command must stop: on Ctrl-C, SIGTERM, a closed terminal, or the exit of the process that started it.
 * Further signals are ignored: a Ctrl-C arrives twice (from the terminal and through npm), and stopping has its own deadlines.
 */
export function untilStopRequested(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve(signal));
    process.on('disconnect', () => resolve('disconnect'));
    process.channel?.unref();
  });
}
