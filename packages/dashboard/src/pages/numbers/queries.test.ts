import { describe, expect, it } from '@jest/globals';
import { circuitsIn } from './queries.ts';

const AT = '2026-03-14T09:12:07.114Z';
const open = (index: number) => ({
  ...{ type: 'number_circuit_open' as const, at: AT, phone_number_id: `n${index}`, next_probe_at: null },
  ...{ phone_number: '+12125550100', nickname: null },
});
const some = (count: number) => Array.from({ length: count }, (_, index) => open(index));

describe('the circuits of numbers [dashboard.68]', () => {
  it('are closed if they are not among the open ones, of which all are listed', () => {
    const circuitOf = circuitsIn({ items: some(19) as never, unknown_services: [] });
    expect(circuitOf('n3')).toEqual({ at: AT, nextProbeAt: null });
    expect(circuitOf('another')).toBe('closed');
  });

  it('are not known beyond the 20 that are listed, and while telephony does not respond', () => {
    const circuitOf = circuitsIn({ items: some(20) as never, unknown_services: [] });
    expect([circuitOf('n19'), circuitOf('another')]).toEqual([{ at: AT, nextProbeAt: null }, undefined]);
    expect(circuitsIn({ items: [], unknown_services: ['telephony'] })('another')).toBeUndefined();
  });
});
