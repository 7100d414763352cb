/**
 * A campaign that was uploaded a moment ago isn't in the planner's statistics, and it would rather sort a million
 * contacts, or hash them, than walk the index for the first few. For the transaction that it is said in.
 */
export const BY_INDEX = `
  SELECT set_config('enable_sort', 'off', true), set_config('enable_hashjoin', 'off', true),
    set_config('enable_mergejoin', 'off', true), set_config('enable_seqscan', 'off', true)`;
