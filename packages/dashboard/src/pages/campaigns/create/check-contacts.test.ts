import { describe, expect, it } from '@jest/globals';
import { checkContacts } from './check-contacts.ts';

const LIST = {
  rows: [
    ['phone', 'name', 'day'],
    ['+1 415 555 0101', 'Grace', 'Monday'],
    ['', '', ''],
    ['oops', 'Linus', 'Tuesday'],
    ['+14155550101', 'Grace again', ''],
    ['+14155550102', 'x'.repeat(256), ''],
  ],
  skip: 1,
  columns: [{ use: 'phone' }, { use: 'name' }, { use: 'variable', name: '__proto__' }] as const,
  countryCode: '',
  corrections: {},
};

describe('checkContacts', () => {
  it('counts rows as spreadsheets do, ignores empty ones, and says what is wrong with the others', () => {
    const { contacts, bad, repeated } = checkContacts(LIST);
    expect(contacts.map(({ phone_number }) => phone_number)).toEqual(['+14155550101', '+14155550101']);
    expect(bad.map(({ row, problem }) => [row, problem])).toEqual([
      [4, 'Not a phone number'],
      [6, 'The name has more than 255 characters'],
    ]);
    expect(repeated).toBe(1);
  });

  it('keeps variables of any name', () => {
    const [first] = checkContacts(LIST).contacts;
    expect(JSON.stringify(first?.custom_data)).toBe('{"__proto__":"Monday"}');
  });

  it('takes corrections', () => {
    const fixed = checkContacts({ ...LIST, corrections: { 4: '+14155550103' } });
    expect(fixed.bad.map(({ row }) => row)).toEqual([6]);
    expect(fixed.contacts.map(({ contact_name }) => contact_name)).toEqual(['Grace', 'Linus', 'Grace again']);
  });
});
