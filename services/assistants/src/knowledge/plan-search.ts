/** A term of a query as in the index, and the number of passages with it. */
export type TermCount = {
  lexeme: string;
  /** Counted up to `MAX_PASSAGES` + 1. */
  count: number;
  /** No passage has it, but `count` passages have a word that starts with it. */
  isBeginning: boolean;
};

type WeighedTerm = TermCount & { weight: number };

/** How to search for passages. */
export type SearchPlan = {
  /** The terms that occur in passages, rarest first. */
  terms: WeighedTerm[];
  /** Number of terms that are looked up on their own; the others only together with one of these. */
  essential: number;
  /** Even the rarest term is in more passages than are read, so passages with all terms have to be looked up directly. */
  isBroad: boolean;
  /** The weight of the whole query, including terms without matches. */
  totalWeight: number;
};

/** Maximum passages that are read for a query. */
export const MAX_PASSAGES = 2000;
/** Weight factor of prefix matches. */
const BEGINNING_WEIGHT = 0.5;
/** Weight of a term that every passage has. */
const MIN_WEIGHT = 0.2;

/** Weighs the terms by their rarity and chooses the ones to look up; undefined if nothing can match. */
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
    isBroad: rarest.count > MAX_PASSAGES,
    totalWeight: counts.reduce((sum, term) => sum + weightOf(term, passageCount), 0),
  };
}

/** As many of the rarest terms as fit into `MAX_PASSAGES` together. */
function essentialOf(terms: readonly TermCount[]): number {
  let passages = 0;
  const tooMany = terms.findIndex(({ count }) => {
    passages += count;
    return passages > MAX_PASSAGES;
  });
  return tooMany < 0 ? terms.length : Math.max(1, tooMany);
}

/** The inverse document frequency of BM25. */
function weightOf({ count }: TermCount, passageCount: number): number {
  const all = Math.max(passageCount, count, 1);
  // A term beyond the maximum has an unknown frequency between there and all passages.
  const having = count > MAX_PASSAGES ? Math.sqrt(count * all) : Math.max(count, 1);
  return MIN_WEIGHT + Math.log(1 + (all - having + 0.5) / (having + 0.5));
}
