/** A word of a query as the index spells it, and how many passages have it. */
export type TermCount = {
  lexeme: string;
  /** Counted no further than `MOST_LOOKED_AT`. */
  count: number;
  /** No passage has it, but `count` passages have a word that begins with it. */
  isBeginning: boolean;
};

export type WeighedTerm = TermCount & { weight: number };

/** How passages are looked for. */
export type SearchPlan = {
  /** Those that some passage has, the rarest first. */
  terms: WeighedTerm[];
  /** How many of the terms are looked up whole; the others only count in passages that have one of these. */
  essential: number;
  /** Even the rarest is in more passages than are looked at: those with all terms must not be missed among them. */
  isBroad: boolean;
  /** The weight of the whole query, words that nothing has included. */
  totalWeight: number;
};

/** More passages than these aren't looked at for a query: who asks for what is everywhere has no best answer. */
export const MOST_LOOKED_AT = 2000;
/** Of a word of which only the beginning is found. */
const BEGINNING_WEIGHT = 0.5;
/** Also a word that every passage has tells a little. */
const LEAST_WEIGHT = 0.2;

/** Weighs the terms by their rarity and chooses those that are looked up; undefined where there is nothing to find. */
export function planSearch(counts: readonly TermCount[], passageCount: number): SearchPlan | undefined {
  const terms = counts
    .filter(({ count }) => count > 0)
    .sort((a, b) => a.count - b.count)
    .map((term) => ({
      ...term,
      weight: weightOf(term, passageCount) * (term.isBeginning ? BEGINNING_WEIGHT : 1),
    }));
  const [rarest] = terms;
  if (!rarest) return undefined;
  return {
    terms,
    essential: essentialOf(terms),
    isBroad: rarest.count > MOST_LOOKED_AT,
    totalWeight: counts.reduce((sum, term) => sum + weightOf(term, passageCount), 0),
  };
}

/** As many of the rarest as may be looked up together. */
function essentialOf(terms: readonly TermCount[]): number {
  let passages = 0;
  const tooMany = terms.findIndex(({ count }) => {
    passages += count;
    return passages > MOST_LOOKED_AT;
  });
  return tooMany < 0 ? terms.length : Math.max(1, tooMany);
}

/** The inverse document frequency of BM25. */
function weightOf({ count }: TermCount, passageCount: number): number {
  const all = Math.max(passageCount, count, 1);
  // One that was not counted to its end may be anywhere between there and everywhere.
  const having = count > MOST_LOOKED_AT ? Math.sqrt(count * all) : Math.max(count, 1);
  return LEAST_WEIGHT + Math.log(1 + (all - having + 0.5) / (having + 0.5));
}
