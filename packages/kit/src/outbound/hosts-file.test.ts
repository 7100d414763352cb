import { expect, it } from '@jest/globals';
import { parseHosts } from './hosts-file.ts';

it('reads names and all their addresses, and ignores comments', () => {
  const hosts = parseHosts(
    '# 9.9.9.9 no\n127.0.0.1\tlocalhost\n10.0.0.5  Receiver receiver.test # x\n::1 localhost\nbad name\n\nfe80::1%lo0 z\n',
  );
  expect(Object.fromEntries(hosts)).toEqual({
    localhost: ['127.0.0.1', '::1'],
    receiver: ['10.0.0.5'],
    'receiver.test': ['10.0.0.5'],
  });
});
