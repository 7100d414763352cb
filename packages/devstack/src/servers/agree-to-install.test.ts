import { describe, expect, it } from '@jest/globals';
import { agreeToInstall } from './agree-to-install.ts';

const decide = async (env: Record<string, string>, isTTY: boolean, answer = 'no') => {
  const asked: string[] = [];
  const ask = async (text: string) => {
    asked.push(text);
    return answer;
  };
  const agreed = await agreeToInstall(['postgresql', 'redis-server'], { env, input: { isTTY }, ask });
  return { agreed, asked: asked.length };
};

describe('agreeToInstall', () => {
  it('asks at a terminal, where the return key means yes', async () => {
    for (const answer of ['', 'y', 'YES', ' yes ']) {
      expect(await decide({}, true, answer)).toEqual({ agreed: true, asked: 1 });
    }
    for (const answer of ['n', 'no', 'what?']) {
      expect(await decide({}, true, answer)).toEqual({ agreed: false, asked: 1 });
    }
  });

  it('does not ask without a terminal, or if the environment agrees', async () => {
    expect(await decide({}, false)).toEqual({ agreed: true, asked: 0 });
    expect(await decide({ PARLEY_INSTALL: 'yes' }, true)).toEqual({ agreed: true, asked: 0 });
    expect(await decide({ PARLEY_INSTALL: '' }, true, 'y')).toEqual({ agreed: true, asked: 1 });
  });
});
