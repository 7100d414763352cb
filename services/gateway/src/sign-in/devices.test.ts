import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { readDevices, rememberDevice } from './devices.ts';

const PEPPER = 'pepper';
const remember = (cookie: string | undefined, personId: string) => rememberDevice(cookie, personId, PEPPER);

it('a browser is known to the last four accounts that signed in there, by a token of each', () => {
  const people = Array.from({ length: 5 }, () => randomUUID());
  const cookie = people.reduce<string | undefined>(remember, undefined);
  expect(readDevices(cookie, PEPPER).map(({ personId }) => personId)).toEqual(people.slice(1).reverse());
  const [, second = ''] = people;
  const again = remember(cookie, second);
  expect(again.split('.').sort()).toEqual(cookie?.split('.').sort());
  expect(readDevices(again, PEPPER)[0]?.personId).toBe(second);
});

it('changed, forged or differently signed tokens prove nothing', () => {
  const cookie = remember(undefined, randomUUID());
  const flipped = `${cookie[0] === 'A' ? 'B' : 'A'}${cookie.slice(1)}`;
  for (const bad of [undefined, '', '.', 'x', flipped, `${cookie}AAAA`, cookie.slice(0, -4)])
    expect(readDevices(bad, PEPPER)).toEqual([]);
  expect(readDevices(cookie, 'another')).toEqual([]);
});
