import { describe, expect, it } from '@jest/globals';
import { createManualClock } from '@parley/media/testing';
import { createLiveTurns } from '../src/live/live-turns.ts';

describe('the turns of a live model that is lost [assistants.23]', () => {
  it('a turn that was not heard again before the next loss is still repeated', () => {
    const said: string[] = [];
    const turns = createLiveTurns(
      {
        begin: (_, text) => {
          const index = said.push(text) - 1;
          return (corrected) => {
            said[index] = corrected.text;
          };
        },
      },
      createManualClock(),
    );
    const hear = (turn: string, text: string): void => {
      turns.ended(turn);
      turns.heard(turn, text, true);
    };
    hear('1 a', 'Tea.');
    hear('1 b', 'Are you there?');
    turns.finish(true);
    hear('2 a', 'Tea, please.');
    turns.finish(true);
    hear('3 a', 'Tea, please!');
    hear('3 b', 'Are you still there?');
    expect(said).toEqual(['Tea, please!', 'Are you still there?']);
  });
});
