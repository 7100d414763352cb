import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';

const SOURCE = `
  const { parentPort } = require('node:worker_threads');
  const server = require('node:net').createServer();
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    parentPort.postMessage(server.address().port);
    setTimeout(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0), 50);
  });
`;

/** A port whose queue is full and whose process accepts nothing: connecting to it neither succeeds nor fails. */
export async function unacceptingServer(): Promise<{ port: number; close(): Promise<void> }> {
  const worker = new Worker(SOURCE, { eval: true });
  const [port] = (await once(worker, 'message')) as [number];
  await new Promise((resolve) => setTimeout(resolve, 150));
  const fillers: Socket[] = [];
  for (let index = 0; index < 8; index += 1) fillers.push(connect(port, '127.0.0.1').on('error', () => {}));
  await new Promise((resolve) => setTimeout(resolve, 150));
  return {
    port,
    close: async () => {
      for (const filler of fillers) filler.destroy();
      await worker.terminate();
    },
  };
}
