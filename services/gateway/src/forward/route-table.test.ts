import { describe, expect, it } from '@jest/globals';
import { createRouteTable } from './route-table.ts';

const table = createRouteTable<string>();
table.add('GET', '/v2/call/:id', 'get');
table.add('POST', '/v2/call/:id/stop', 'stop');
table.add('POST', '/v2/call/list', 'list');
table.add('GET', '/v1/campaigns/:id/contacts.csv', 'csv');
table.add('GET', '/', 'root');

const find = (path: string) => {
  const match = table.find(path);
  return match && [[...match.byMethod.keys()].join(), ...match.segments];
};

describe('createRouteTable', () => {
  it.each([
    ['/v2/call/list', ['POST']],
    ['/v2/call/x', ['GET', 'x']],
    ['/v2/call/x/', ['GET', 'x']],
    ['/v2/call/list/stop', ['POST', 'list']],
    ['/v1/campaigns/a%2Fb/contacts.csv', ['GET', 'a%2Fb']],
    ['/', ['GET']],
  ])('finds %s', (path, expected) => expect(find(path)).toEqual(expected));

  it.each(['/v2/call', '/v2/call//', '/v2/call//stop', '/v2/CALL/list', '/v2/call/x/y', '/v2/call/list//'])(
    'finds nothing at %p',
    (path) => expect(find(path)).toBeUndefined(),
  );

  it('refuses the same route twice', () => {
    expect(() => table.add('GET', '/v2/call/:other', 'x')).toThrow(/twice/);
  });
});
