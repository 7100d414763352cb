import { describe, expect, it } from '@jest/globals';
import { createPasswords } from './password.ts';

const passwords = createPasswords(10);

describe('a password (D2.3)', () => {
  it('is kept as scrypt with a salt of its own, and known again', async () => {
    const [one, other] = await Promise.all([
      passwords.hash('correct horse battery'),
      passwords.hash('correct horse battery'),
    ]);
    expect(one).toMatch(/^scrypt\$10\$[\w-]{22}\$[\w-]{43}$/);
    expect(one).not.toBe(other);
    expect(await passwords.verify('correct horse battery', one)).toBe(true);
    expect(await passwords.verify('correct horse batterx', one)).toBe(false);
  });

  it('is known again after the cost was raised, and however its characters are composed', async () => {
    const stored = await passwords.hash('caf\u00e9 caf\u00e9 caf\u00e9');
    expect(await createPasswords(11).verify('cafe\u0301 cafe\u0301 cafe\u0301', stored)).toBe(true);
  });

  it('takes as long where there is no such account', async () => {
    const slow = createPasswords(14);
    const stored = await slow.hash('correct horse battery');
    const took = async (work: () => Promise<unknown>) => {
      const startedAt = process.cpuUsage();
      await work();
      return process.cpuUsage(startedAt).user;
    };
    expect(await slow.verify('wrong', undefined)).toBe(false);
    const known = await took(() => slow.verify('wrong', stored));
    const unknown = await took(() => slow.verify('wrong', undefined));
    expect(unknown).toBeGreaterThan(known / 3);
  });
});
