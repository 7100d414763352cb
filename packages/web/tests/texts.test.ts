import { describe, expect, it } from '@jest/globals';
import { TEXTS, textsFor } from '../src/widget/texts.ts';

const keysOf = (value: object): string[] =>
  Object.entries(value).flatMap(([key, inner]) =>
    typeof inner === 'string' ? [key] : keysOf(inner).map((rest) => `${key}.${rest}`),
  );

describe('texts of the widget', () => {
  it('are complete in every language, and none is empty', () => {
    const wanted = keysOf(TEXTS.en ?? {}).sort();
    for (const texts of Object.values(TEXTS)) {
      expect(keysOf(texts).sort()).toEqual(wanted);
      expect(JSON.stringify(texts)).not.toContain('""');
    }
  });

  it.each([
    [['de-AT', 'en'], 'de'],
    [['pt-BR', 'es-MX'], 'es'],
    [['FR'], 'fr'],
    [['ja'], 'en'],
    [[], 'en'],
  ])('%j is %s', (languages, language) => expect(textsFor(languages).language).toBe(language));
});
