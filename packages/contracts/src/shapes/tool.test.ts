import { describe, expect, it } from '@jest/globals';
import { transferDestination } from './tool.ts';

describe('the destination of a transfer [tools.7]', () => {
  it.each([
    ['+14155550123', '+14155550123'],
    ['sip:queue@pbx.example', 'sip:queue@pbx.example'],
    ['SIP:Queue@PBX.example;transport=TLS', 'sip:Queue@PBX.example;transport=TLS'],
    ['Sip:pbx.example', 'sip:pbx.example'],
  ])('%s is %s', (given, expected) => {
    expect(transferDestination.parse(given)).toBe(expected);
  });

  it.each([
    ['sip:queue@pbx.example?Replaces=1%40a'],
    ['sip:queue?a=b@pbx.example'],
    ['sips:queue@pbx.example'],
    ['sip:a@b@pbx.example'],
    ['+0123456789'],
  ])('%s is none', (given) => {
    expect(transferDestination.safeParse(given).success).toBe(false);
  });
});
