const TAGS = [
  'en-US',
  'en-GB',
  'en-AU',
  'en-IN',
  'de-DE',
  'de-AT',
  'de-CH',
  'fr-FR',
  'fr-CA',
  'es-ES',
  'es-MX',
  'es-US',
  'it-IT',
  'pt-BR',
  'pt-PT',
  'nl-NL',
  'pl-PL',
  'sv-SE',
  'da-DK',
  'nb-NO',
  'fi-FI',
  'cs-CZ',
  'tr-TR',
  'uk-UA',
  'ru-RU',
  'ar-SA',
  'he-IL',
  'hi-IN',
  'ja-JP',
  'ko-KR',
  'zh-CN',
] as const;

const names = new Intl.DisplayNames(['en'], { type: 'language' });

/** `mul` is a voice that speaks the language of its text. */
export function languageName(tag: string): string {
  if (tag === 'mul') return 'any language';
  try {
    return names.of(tag) ?? tag;
  } catch {
    return tag;
  }
}

export const LANGUAGES = TAGS.map((value) => ({ value, label: `${languageName(value)} (${value})` }));
