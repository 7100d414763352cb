import { randomBytes } from 'node:crypto';

/** A place in which secrets were looked for, and the text that was found there. */
export type Found = { place: string; name: string };

export type Canaries = {
  /** A new secret under a name. */
  add(name: string): string;
  /** A secret from outside of this test. Short ones, which any text may contain, are skipped. */
  know(name: string, value: string | undefined): void;
  count(): number;
  /** The secrets that a text contains, literally or in a common encoding. */
  findIn(place: string, text: string, except?: string[]): Found[];
};

const MIN_LENGTH = 12;

/** Secrets that must not be seen again anywhere: each is unlike any other text there is. */
export function createCanaries(): Canaries {
  const byName = new Map<string, string[]>();
  const know = (name: string, value: string | undefined): void => {
    if (value === undefined || value.length < MIN_LENGTH) return;
    const bytes = Buffer.from(value);
    // Postgres shows bytes in hex. Of base64, what doesn't depend on what stands before or behind.
    const forms = [0, 1, 2].map((shift) => {
      const shifted = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64');
      return shifted.slice(shift === 0 ? 0 : 4, -4);
    });
    byName.set(name, [
      value,
      JSON.stringify(value).slice(1, -1),
      encodeURIComponent(value),
      bytes.toString('hex'),
      ...forms,
    ]);
  };
  return {
    know,
    add: (name) => {
      const value = `canary${randomBytes(16).toString('hex')}`;
      know(name, value);
      return value;
    },
    count: () => byName.size,
    findIn: (place, text, except = []) =>
      [...byName].flatMap(([name, forms]) =>
        !except.includes(name) && forms.some((form) => text.includes(form)) ? [{ place, name }] : [],
      ),
  };
}
