import { describe, expect, it } from '@jest/globals';
import { fillPlaceholders } from './fill-placeholders.ts';

const fill = (text: string, variables: Record<string, unknown>) => fillPlaceholders(text, variables, 1_000);

describe('fillPlaceholders [campaigns.4]', () => {
  it('replaces known placeholders, with values of any type', () => {
    const variables = { contact_name: 'Ada', n: 3, ok: false, o: { a: 1 }, none: null, 'order no': 'X' };
    expect(fill('{{contact_name}}/{{ n }}/{{ok}}/{{o}}/{{none}}/{{order no}}', variables)).toEqual({
      text: 'Ada/3/false/{"a":1}//X',
      unresolved: [],
    });
  });

  it('empties and lists unknown placeholders, once each', () => {
    expect(fill('Hi {{a}}{{b}}{{a}}!', {})).toEqual({ text: 'Hi !', unresolved: ['a', 'b'] });
  });

  it('ignores inherited names, and replaces nothing twice', () => {
    expect(fill('{{constructor}}', {})?.unresolved).toEqual(['constructor']);
    expect(fill('{{a}}', { a: '{{b}} $1 $&' })?.text).toBe('{{b}} $1 $&');
  });

  it('does not change other braces', () => {
    expect(fill('{a} {{}} {{ }} { {b} }', { a: 1 })?.text).toBe('{a} {{}} {{ }} { {b} }');
  });

  it('ends at its maximum [trust.29]', () => {
    const value = 'x'.repeat(100);
    expect(fillPlaceholders('{{a}}{{a}}', { a: value }, 200)?.text).toHaveLength(200);
    expect(fillPlaceholders('{{a}}{{a}}.', { a: value }, 200)).toBeUndefined();
    expect(fillPlaceholders('{{b}}{{b}}{{b}}', { b: [value] }, 200)).toBeUndefined();
  });
});
