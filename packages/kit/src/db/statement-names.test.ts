import { expect, it } from '@jest/globals';
import { createStatementNames } from './statement-names.ts';

it('names each statement with values once, up to a maximum', () => {
  const nameOf = createStatementNames(2);
  expect(nameOf('COMMIT', 0)).toBe('');
  const [first, second] = [nameOf('SELECT $1', 1), nameOf('SELECT $1, $2', 2)];
  expect(new Set([first, second, '']).size).toBe(3);
  expect(nameOf('SELECT $1, $2, $3', 3)).toBe('');
  expect([nameOf('SELECT $1', 1), nameOf('SELECT $1, $2', 2)]).toEqual([first, second]);
});
