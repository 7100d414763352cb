import { expect, it } from '@jest/globals';
import { daysInWords } from './days-in-words.ts';

it.each([
  [{ period: '7d' as const }, 'Last 7 days'],
  [{ after: '2026-03-09', before: '2026-03-14' }, '9 Mar 2026 – 14 Mar 2026'],
  [{ after: '2026-03-14', before: '2026-03-14' }, '14 Mar 2026'],
  [{ after: '2026-03-14' }, 'since 14 Mar 2026'],
  [{ before: '2026-03-14' }, 'until 14 Mar 2026'],
  [{}, undefined],
])('the chosen days are said as people write them: %j', (search, words) => {
  expect(daysInWords(search)).toBe(words);
});
