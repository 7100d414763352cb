import { describe, expect, it } from '@jest/globals';
import { numberProblem, plainNumber, terminationProblem } from './checks.ts';

describe('numbers as people type them', () => {
  it('lose what is only for reading', () => {
    expect(plainNumber('+1 (415) 555-01.23')).toBe('+14155550123');
    expect(plainNumber('0049 30 1234567')).toBe('+49301234567');
  });

  it.each([
    ['+14155550123', undefined],
    ['', undefined],
    ['4155550123', 'Begin with'],
    ['+0415555', 'does not begin with 0'],
    ['+1415abc', 'Digits only'],
    ['+123', '7 to 15'],
  ])('%s: %s', (typed, problem) => {
    if (problem === undefined) expect(numberProblem(typed)).toBeUndefined();
    else expect(numberProblem(typed)).toContain(problem);
  });
});

describe('addresses of trunks', () => {
  it.each([
    ['sip.example.com:5060', undefined],
    ['[2001:db8::1]:5061', undefined],
    ['sip:sip.example.com', 'scheme'],
    ['ada@sip.example.com', 'user'],
    ['sip.example.com:', 'host'],
  ])('%s: %s', (typed, problem) => {
    if (problem === undefined) expect(terminationProblem(typed)).toBeUndefined();
    else expect(terminationProblem(typed)).toContain(problem);
  });
});
