import { expect, it } from '@jest/globals';
import { createNoteDrop } from './note-drops.ts';

it('counts every drop, and logs one a minute of each reason, of known and unknown sources [sip.18]', () => {
  let nowMs = 0;
  const counted: string[] = [];
  const logged: object[] = [];
  const note = createNoteDrop(
    { info: (fields: object) => void logged.push(fields) } as Parameters<typeof createNoteDrop>[0],
    (reason) => void counted.push(reason),
    () => nowMs,
  );
  for (let n = 0; n < 100; n += 1) note('rate', `192.0.2.${n}`, false);
  note('rate', '198.51.100.1', true);
  note('line_end', '198.51.100.1', true);
  nowMs += 60_000;
  note('rate', '192.0.2.200', false);
  expect(counted).toHaveLength(103);
  expect(logged).toEqual([
    { reason: 'rate', remote: '192.0.2.0', isKnown: false },
    { reason: 'rate', remote: '198.51.100.1', isKnown: true },
    { reason: 'line_end', remote: '198.51.100.1', isKnown: true },
    { reason: 'rate', remote: '192.0.2.200', isKnown: false },
  ]);
});
