import { expect, it } from '@jest/globals';
import { createMetrics } from '../observability/index.ts';
import { createNoteClosed } from './note-closed.ts';

it('counts every closed connection, and logs one a minute for each limit', async () => {
  let nowMs = 0;
  const logged: object[] = [];
  const log = { warn: (fields: object) => void logged.push(fields) } as Parameters<
    typeof createNoteClosed
  >[0]['log'];
  const metrics = createMetrics('test');
  const note = createNoteClosed({ log, metrics }, () => nowMs);
  for (let n = 0; n < 100; n += 1) note('pipelining', `192.0.2.${n}`);
  note('network', '198.51.100.1');
  nowMs = 59_999;
  note('pipelining', '192.0.2.200');
  nowMs = 60_000;
  note('pipelining', '192.0.2.201');
  expect(logged).toEqual([
    { limit: 'pipelining', remote: '192.0.2.0' },
    { limit: 'network', remote: '198.51.100.1' },
    { limit: 'pipelining', remote: '192.0.2.201' },
  ]);
  const { values } = await metrics.connectionsClosed.get();
  expect(values.map(({ labels, value }) => [labels.limit, value])).toEqual([
    ['pipelining', 102],
    ['network', 1],
  ]);
});
