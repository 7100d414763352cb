import { expect, it } from '@jest/globals';
import { createSpools } from './spool.ts';

const MIB = 1024 ** 2;
const text = 'x'.repeat(MIB);

it('uploads of one workspace use at most half of the disk space, and release it', async () => {
  const spools = createSpools(8 * MIB);
  const [first, second, other] = [spools.open('a'), spools.open('a'), spools.open('b')];
  for (let i = 0; i < 3; i += 1) await first.write(text);
  await second.write(text);
  await expect(second.write(text)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  for (let i = 0; i < 4; i += 1) await other.write(text);
  await expect(spools.open('c').write(text)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  await first.close();
  const again = spools.open('a');
  await again.write(text);
  for (const spool of [second, other, again]) await spool.close();
});
