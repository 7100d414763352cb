import { describe, expect, it } from '@jest/globals';
import { assertNewEnough } from './assert-new-enough.ts';

describe('assertNewEnough', () => {
  it.each([
    ['postgres', '14.0'],
    ['postgres', '17beta1'],
    ['rabbitmq', '3.10.8'],
    ['rabbitmq', '4.0.1'],
    ['redis', '7.0.15'],
  ] as const)('accepts %s %s', (kind, version) => {
    expect(() => assertNewEnough(kind, version)).not.toThrow();
  });

  it('reports the found and the required version', () => {
    expect(() => assertNewEnough('postgres', '13.9')).toThrow(
      'this is Postgres 13.9, but 14 or newer is required',
    );
    expect(() => assertNewEnough('rabbitmq', '3.9.27')).toThrow('3.10 or newer');
  });
});
