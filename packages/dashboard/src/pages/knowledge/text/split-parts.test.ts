import { describe, expect, it } from '@jest/globals';
import { splitParts } from './split-parts.ts';

describe('splitParts', () => {
  it('leaves what fits', () => {
    expect(splitParts('One.\n\nTwo.', 100)).toEqual(['One.\n\nTwo.']);
  });

  it('splits between paragraphs, and loses no word', () => {
    const paragraphs = Array.from({ length: 20 }, (_, i) => `Paragraph ${i} with some words.`);
    const parts = splitParts(paragraphs.join('\n\n'), 200);
    expect(parts.length).toBeGreaterThan(3);
    expect(parts.flatMap((part) => part.split('\n\n'))).toEqual(paragraphs);
    expect(parts.every((part) => JSON.stringify(part).length <= 200)).toBe(true);
  });

  it('splits a text without any gap between whole characters', () => {
    const parts = splitParts('😀'.repeat(100), 101);
    expect(parts.join('')).toBe('😀'.repeat(100));
    expect(parts.every((part) => /^(?:😀)+$/u.test(part))).toBe(true);
  });
});
