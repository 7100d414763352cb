import { expect, it } from '@jest/globals';
import { createLiveCall, TIMEOUT_MS } from './live-call.ts';

it('a live model has to answer only when all of its blocking tools are done [tools.12]', async () => {
  const call = createLiveCall();
  const { model, used } = call;
  call.open();
  await call.pass(40);
  for (const id of ['x', 'y']) model.emit({ type: 'tool', id, name: 'stock', args: {} });
  await call.pass(40);
  used[0]?.finish(1);
  await call.pass(TIMEOUT_MS + 1_000);
  expect(model.openings).toHaveLength(1);
  used[1]?.finish(2);
  await call.pass(TIMEOUT_MS - 200);
  expect(model.openings).toHaveLength(1);
  await call.pass(400);
  expect(model.openings).toHaveLength(2);
  call.close();
});
