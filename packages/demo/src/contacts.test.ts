import { describe, expect, it } from '@jest/globals';
import { makePeople, randomPrefix } from './contacts.ts';

describe('makePeople', () => {
  const people = makePeople('+1212555', 25);

  it('covers every outcome of the simulated carrier, and ordinary numbers [running.2]', () => {
    const endings = people.map(({ phoneNumber }) => phoneNumber.slice(-4));
    expect(endings.slice(0, 12)).toEqual(
      Array.from({ length: 12 }, (_, i) => String(i + 1).padStart(4, '0')),
    );
    expect(endings.slice(12)).toEqual(Array.from({ length: 13 }, (_, i) => String(101 + i).padStart(4, '0')));
  });

  it('gives each contact a unique name and number', () => {
    expect(new Set(people.map(({ name }) => name)).size).toBe(25);
    expect(new Set(people.map(({ phoneNumber }) => phoneNumber)).size).toBe(25);
  });
});

describe('randomPrefix', () => {
  it.each([0, 0.5, 0.999999])('is a number of North America (%d)', (value) => {
    expect(`${randomPrefix(() => value)}0101`).toMatch(/^\+1[2-9][0-8][2-9]5550101$/);
  });
});
