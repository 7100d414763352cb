import { expect, it } from '@jest/globals';
import { openNameless } from './open-nameless.ts';

it('opens a file that no folder lists and only its owner may read', async () => {
  const file = await openNameless();
  await file.writeFile('words');
  const { nlink, mode } = await file.stat();
  expect([nlink, mode & 0o777]).toEqual([0, 0o600]);
  expect(await file.read(Buffer.alloc(5), 0, 5, 0)).toMatchObject({
    bytesRead: 5,
    buffer: Buffer.from('words'),
  });
  await file.close();
});
