/** A contact of the campaign and its expected outcome. */
export type Person = {
  phoneNumber: string;
  name: string;
  customData: Record<string, unknown>;
  /** Description of what the simulated carrier does with this number. */
  story: string;
  status: 'succeeded' | 'failed';
  /** Accepted last outcomes. */
  outcomes: readonly string[];
  attempts: number;
};

type Ending = Pick<Person, 'story' | 'status' | 'outcomes' | 'attempts'>;

const hangsUp = { status: 'succeeded', outcomes: ['user_hangup'], attempts: 1 } as const;

/** Every outcome of the simulated carrier, with one retry [running.2] [campaigns.12]. */
const ENDINGS: Readonly<Record<string, Ending>> = {
  '0001': { story: 'rings out', status: 'failed', outcomes: ['dial_no_answer'], attempts: 2 },
  '0002': { story: 'busy', status: 'failed', outcomes: ['dial_busy'], attempts: 2 },
  '0003': { story: 'voicemail picks up', status: 'failed', outcomes: ['voicemail'], attempts: 2 },
  '0004': { story: 'transient failure', status: 'failed', outcomes: ['dial_failed'], attempts: 2 },
  '0005': { story: 'rejected permanently', status: 'failed', outcomes: ['dial_failed'], attempts: 1 },
  '0006': { story: 'answers, says nothing', status: 'succeeded', outcomes: ['agent_hangup'], attempts: 1 },
  '0007': { story: 'never hangs up', status: 'succeeded', outcomes: ['timeout'], attempts: 1 },
  '0008': { story: 'hangs up at once', ...hangsUp },
  '0009': { story: 'answers the second time', ...hangsUp, attempts: 2 },
  // The last tool that it asks for is end_call.
  '0010': { story: 'asks for each tool', ...hangsUp, outcomes: ['agent_hangup', 'user_hangup'] },
  '0011': { story: "the carrier's response is lost", ...hangsUp },
  '0012': { story: 'events twice, out of order', ...hangsUp },
};

const ORDINARY: Ending = { story: 'talks and hangs up', ...hangsUp };
const NAMES = [
  ['Ada', 'Ben', 'Chloe', 'Dmitri', 'Elif', 'Femi', 'Greta', 'Hugo', 'Iris', 'Jonas', 'Kira', 'Luca', 'Mina'],
  [
    'Noor',
    'Oscar',
    'Priya',
    'Quinn',
    'Rosa',
    'Sven',
    'Tara',
    'Umar',
    'Vera',
    'Wanda',
    'Xenia',
    'Yusuf',
    'Zoe',
  ],
].flat();
const BICYCLES = ['city bike', 'cargo bike', 'road bike', 'tandem'];

/**
 * The contacts of the campaign, the slowest first. `prefix`: all but the last four digits; unique to the run, since 0009 counts the
 * workspace's calls to it.
 */
export function makePeople(prefix: string, count: number): Person[] {
  const special = Object.keys(ENDINGS);
  return Array.from({ length: count }, (_, index) => {
    const ending = special[index] ?? `01${String(index - special.length + 1).padStart(2, '0')}`;
    return {
      phoneNumber: `${prefix}${ending}`,
      name: NAMES[index % NAMES.length] ?? '',
      customData: { bicycle: BICYCLES[index % BICYCLES.length], order_number: 70_001 + index },
      ...(ENDINGS[ending] ?? ORDINARY),
    };
  });
}

/** `+1 AAA 555` with a random area code AAA: numbers 555-01xx are fictitious. */
export function randomPrefix(random: () => number = Math.random): string {
  const digit = (from: number, to: number) => from + Math.floor(random() * (to - from + 1));
  return `+1${digit(2, 9)}${digit(0, 8)}${digit(2, 9)}555`;
}
