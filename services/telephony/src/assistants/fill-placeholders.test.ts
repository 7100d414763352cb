import { describe, expect, it } from '@jest/globals';
import { fillPlaceholders } from './fill-placeholders.ts';

describe('fillPlaceholders [campaigns.4]', () => {
  it('replaces known placeholders, with values of any type', () => {
    const variables = { contact_name: 'Ada', n: 3, ok: false, o: { a: 1 }, none: null, 'order no': 'X' };
    expect(
      fillPlaceholders('{{contact_name}}/{{ n }}/{{ok}}/{{o}}/{{none}}/{{order no}}', variables),
    ).toEqual({
      text: 'Ada/3/false/{"a":1}//X',
      unresolved: [],
    });
  });

  it('empties and lists unknown placeholders, once each', () => {
    expect(fillPlaceholders('Hi {{a}}{{b}}{{a}}!', {})).toEqual({ text: 'Hi !', unresolved: ['a', 'b'] });
  });

  it('ignores inherited names, and replaces nothing twice', () => {
    expect(fillPlaceholders('{{constructor}}', {}).unresolved).toEqual(['constructor']);
    expect(fillPlaceholders('{{a}}', { a: '{{b}} $1 $&' }).text).toBe('{{b}} $1 $&');
  });

  it('does not change other braces', () => {
    expect(fillPlaceholders('{a} {{}} {{ }} { {b} }', { a: 1 }).text).toBe('{a} {{}} {{ }} { {b} }');
  });
});
