import { describe, expect, it } from '@jest/globals';
import type { Entry, SpokenEntry } from './ports.ts';
import { recordedText } from './recorded-port.ts';

/** A line whose human says these lines, and then nothing. */
function lineOf(lines: string[]) {
  const said: string[] = [];
  const noted: SpokenEntry[] = [];
  const port = recordedText(
    {
      say: async (text) => void said.push(text),
      hear: () => {
        const line = lines.shift();
        return line === undefined ? new Promise(() => {}) : Promise.resolve(line);
      },
    },
    {
      record: {
        note: (entry) => {
          noted.push(entry);
          return { ...entry, seq: noted.length, at: new Date(0) } satisfies Entry;
        },
        correct: () => {},
      },
      nowMs: () => 1_000,
    },
  );
  return { port, said, noted };
}

async function* pieces(given: readonly string[], failure?: Error): AsyncGenerator<string> {
  for (const piece of given) yield piece;
  if (failure) throw failure;
}

describe('a conversation in text', () => {
  const { signal } = new AbortController();

  it('waits for the whole stream, and records what is said and heard [calls.17]', async () => {
    const { port, said, noted } = lineOf(['Hello?']);
    expect(await port.hear(signal)).toMatchObject({ text: 'Hello?', source: 'text', endedAtMs: 1_000 });
    const spoken = await port.say(pieces(['Good', ' morning.']), signal);
    expect(spoken).toEqual({ text: 'Good morning.', isInterrupted: false, firstAudioAtMs: 1_000 });
    expect(said).toEqual(['Good morning.']);
    expect(noted).toEqual([
      { role: 'user', content: 'Hello?' },
      { role: 'agent', content: 'Good morning.' },
    ]);
  });

  it('says and records nothing of a stream that is empty or fails', async () => {
    const { port, said, noted } = lineOf([]);
    expect(await port.say(pieces([]), signal)).toMatchObject({ text: '' });
    await expect(port.say(pieces(['Good'], new Error('broken')), signal)).rejects.toThrow('broken');
    expect({ said, noted }).toEqual({ said: [], noted: [] });
  });

  it('records nothing after its end', async () => {
    const { port, noted } = lineOf([]);
    const over = AbortSignal.abort(new Error('over'));
    await expect(port.say('Still here', over)).rejects.toThrow('over');
    await expect(port.hear(over)).rejects.toThrow('over');
    expect(noted).toEqual([]);
  });

  it('hears keys pressed before and during a wait, and loses no words [calls.18]', async () => {
    const { port, noted } = lineOf([]);
    port.press('1');
    port.press('2#');
    expect(await port.hear(signal)).toMatchObject({ text: 'Pressed 1 2 #.', source: 'keys' });
    const next = port.hear(signal);
    port.press('9');
    expect(await next).toMatchObject({ text: 'Pressed 9.' });
    expect(noted.map(({ content }) => content)).toEqual(['Pressed 1 2 #.', 'Pressed 9.']);
  });

  it('records what nobody has heard yet when the call goes to another worker [calls.17]', async () => {
    const { port, noted } = lineOf(['Hello?', 'Are you open?']);
    const over = new AbortController();
    port.write('It is me.');
    expect(await port.hear(over.signal)).toMatchObject({ text: 'It is me.' });
    port.press('1');
    port.write('Ada.');
    await port.letFinish();
    await port.recordUnheard();
    const next = expect(port.hear(over.signal)).rejects.toThrow('over');
    over.abort(new Error('over'));
    await next;
    expect(noted.map(({ content }) => content)).toEqual(['It is me.', 'Hello?', 'Pressed 1.', 'Ada.']);
  });
});
