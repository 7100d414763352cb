import { draw } from './draw.ts';

const FIRST = ['Alex', 'Maria', 'Sam', 'Ines', 'Tom', 'Nora', 'Omar', 'Lena', 'Paul', 'Yuki'];
const LAST = ['Miller', 'Garcia', 'Novak', 'Silva', 'Weber', 'Rossi', 'Tanaka', 'Khan'];
const OPENINGS = [
  'Hello, yes, speaking.',
  'Hi, who is this?',
  'Yes, hello, I can talk for a minute.',
  'Good morning, what is it about?',
];
const MOODS = [
  'Yes, I am interested.',
  'No, I am not interested right now.',
  'Yes, that sounds good to me.',
  'I am not sure yet, maybe later.',
];
const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'];
const CLOSINGS = ['Thank you, goodbye.', 'Great, thanks a lot. Bye!', 'That is all, have a nice day.'];

/** The lines of the simulated person at a number: the same number has the same conversation [running.3]. */
export function humanLines(to: string): string[] {
  const pick = (salt: string, from: readonly string[]): string => from[draw(to, salt, from.length)] ?? '';
  const details = [
    `My name is ${pick('first', FIRST)} ${pick('last', LAST)}.`,
    `My order number is ${10_000 + draw(to, 'order', 90_000)}.`,
    `${pick('day', DAYS)} at ${9 + draw(to, 'hour', 8)} would work for me.`,
  ];
  const detail = details[draw(to, 'detail', details.length)] ?? '';
  return [pick('opening', OPENINGS), detail, pick('mood', MOODS), pick('closing', CLOSINGS)];
}
