import { describe, expect, it } from '@jest/globals';
import { spokenForm } from './spoken-form.ts';

describe('a text for a voice [calls.24]', () => {
  it.each([
    ['Your code is 0042.', 'Your code is 0 0 4 2.'],
    ['Account 12345678 is open.', 'Account 1 2 3, 4 5 6, 7 8 is open.'],
    ['Call +15550100200 now.', 'Call plus 1 5 5, 5 0 1, 0 0 2, 0 0 now.'],
    ['Call 555-010-0200.', 'Call 5 5 5, 0 1 0, 0 2 0 0.'],
    ['It is due on 2026-11-26.', 'It is due on November 26, 2026.'],
    ['See **our offer**: [the page](https://example.com/a?b=1).', 'See our offer: the page.'],
    ['Go to https://www.example.com/offers.', 'Go to example dot com'],
    ['Write to ada@example.com, please.', 'Write to ada at example dot com, please.'],
    ['- Fruit, e.g. apples', 'Fruit, for example, apples'],
    ['Dr. Novak vs. Mr. Smith', 'Doctor Novak versus Mister Smith'],
    ['Great 👍🏽 thanks!', 'Great thanks!'],
  ])('%s', (text, spoken) => {
    expect(spokenForm(text, 'en-US')).toBe(spoken);
  });

  it('leaves what voices read well', () => {
    for (const text of [
      'That is $1,250.50 for 3 items at 14:30.',
      'The year 2026, and 100000 people.',
      'A 2 * 3 * 4 box costs 5.99.',
      'Version 1.2.3 - see below.',
    ]) {
      expect(spokenForm(text, 'en-US')).toBe(text);
    }
  });

  it('knows other languages, and leaves abbreviations of those that it does not know', () => {
    expect(spokenForm('Am 2026-03-01, z.B. mittags, in der Hauptstr. 5', 'de-DE')).toBe(
      'Am 1. März 2026, zum Beispiel mittags, in der Hauptstraße 5',
    );
    expect(spokenForm('Escriba a ada@example.com', 'es-ES')).toBe('Escriba a ada arroba example punto com');
    expect(spokenForm('ada@example.com etc.', 'ja-JP')).toBe('ada@example.com etc.');
  });

  it.each([
    ['More: **a** and __b__, *c*, ![alt](u.png) and [d [e](u) (f)', 'More: a and b, c, alt and d [e (f)'],
    ['--ada.b-c@mail.example.com--', '--ada dot b-c at mail dot example dot com--'],
    ['a@b@example.com', 'a@b at example dot com'],
    ['[a](b c) [](u) [a]', '[a](b c) [](u) [a]'],
  ])('%s', (text, spoken) => {
    expect(spokenForm(text, 'en-US')).toBe(spoken);
  });

  it.each([
    'a.',
    '.',
    'a@',
    '@-.-',
    '[a',
    '[a](b',
    '**a ',
    '__a **',
    '*a ',
    '7',
    '+7',
    '+1 ',
    '- ',
    'http://',
  ])('needs time in proportion to the length: %j', (repeated) => {
    const began = performance.now();
    spokenForm(repeated.repeat(250_000 / repeated.length), 'en-US');
    expect(performance.now() - began).toBeLessThan(1_000);
  });
});
