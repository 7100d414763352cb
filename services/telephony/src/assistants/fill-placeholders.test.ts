import { describe, expect, it } from '@jest/globals';
import { fillPlaceholders } from './fill-placeholders.ts';

describe('fillPlaceholders [campaigns.4]', () => {
  it('puts in what it knows, whatever its kind', () => {
    const variables = { contact_name: 'Ada', n: 3, ok: false, o: { a: 1 }, none: null, 'order no': 'X' };
    expect(
      fillPlaceholders('{{contact_name}}/{{ n }}/{{ok}}/{{o}}/{{none}}/{{order no}}', variables),
    ).toEqual({
      text: 'Ada/3/false/{"a":1}//X',
      unresolved: [],
    });
  });

  it('empties and lists what it does not know, once each', () => {
    expect(fillPlaceholders('Hi {{a}}{{b}}{{a}}!', {})).toEqual({ text: 'Hi !', unresolved: ['a', 'b'] });
  });

  it('knows no inherited names, and fills nothing twice', () => {
    expect(fillPlaceholders('{{constructor}}', {}).unresolved).toEqual(['constructor']);
    expect(fillPlaceholders('{{a}}', { a: '{{b}} $1 $&' }).text).toBe('{{b}} $1 $&');
  });

  it('leaves other braces alone', () => {
    expect(fillPlaceholders('{a} {{}} {{ }} { {b} }', { a: 1 }).text).toBe('{a} {{}} {{ }} { {b} }');
  });
});
