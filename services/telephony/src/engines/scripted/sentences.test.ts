import { describe, expect, it } from '@jest/globals';
import { greeting } from './sentences.ts';

const introduced = (systemPrompt: string): string => greeting('', systemPrompt);

describe('the introduction of the scripted engine', () => {
  it.each([
    ['You are the assistant of Acme. Be kind.', 'Hello! I am the assistant of Acme. How are you today?'],
    ['You are Ada!?\nBe kind.', 'Hello! I am Ada. How are you today?'],
    ['Be kind.', 'Hello! I am an automated assistant. How are you today?'],
    [`You are ${'very '.repeat(40)}kind.`, 'Hello! I am an automated assistant. How are you today?'],
  ])('of %j', (systemPrompt, expected) => {
    expect(introduced(systemPrompt)).toBe(expected);
  });

  it('takes no time, whatever the length of the prompt', () => {
    const began = performance.now();
    introduced(`You are ${' '.repeat(125_000)}${'.'.repeat(125_000)}x`);
    expect(performance.now() - began).toBeLessThan(1_000);
  });
});
