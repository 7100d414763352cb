import { describe, expect, it } from '@jest/globals';
import { decode, readFileText, readRows } from './read-list.ts';

describe('lists', () => {
  it.each([
    [
      'phone,name\n+4930123456,"Müller, Eva"\n',
      [
        ['phone', 'name'],
        ['+4930123456', 'Müller, Eva'],
      ],
    ],
    [
      '\uFEFFphone;name\r\n+4930123456;Eva\r\n',
      [
        ['phone', 'name'],
        ['+4930123456', 'Eva'],
      ],
    ],
    [
      '+4930123456\tEva\n+4930123457\tAda',
      [
        ['+4930123456', 'Eva'],
        ['+4930123457', 'Ada'],
      ],
    ],
    ['+4930123456\n+4930123457', [['+4930123456'], ['+4930123457']]],
    [
      'phone,note\n+4930123456,"two\nlines ""quoted"""',
      [
        ['phone', 'note'],
        ['+4930123456', 'two\nlines "quoted"'],
      ],
    ],
  ])('%j is read with its separator, quotes and line breaks', async (text, rows) => {
    expect(await readRows(text)).toEqual(rows);
  });

  it('are read in the encodings that spreadsheets write', () => {
    expect(decode(new TextEncoder().encode('Müller'))).toBe('Müller');
    expect(decode(Uint8Array.from([0x4d, 0xfc]))).toBe('Mü');
    expect(decode(Uint8Array.from([0xff, 0xfe, 0x4d, 0, 0xfc, 0]))).toBe('Mü');
  });

  it('that are workbooks or empty are refused with the reason', async () => {
    await expect(readFileText(new File([Uint8Array.from([0x50, 0x4b, 3, 4])], 'a.xlsx'))).rejects.toThrow(
      /export it as CSV/,
    );
    await expect(readRows(' \n ')).rejects.toThrow(/empty/);
  });
});
