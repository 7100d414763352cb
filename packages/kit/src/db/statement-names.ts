/**
 * Each connection keeps its prepared statements, with about 60 KB each. Loops and calls use the same ones from the start; texts that
 * follow from requests, such as lists of conditions, could be any number.
 */
const MAX_STATEMENTS = 150;

/**
 * Names statements, under which Postgres parses them once per connection instead of each time. Returns an empty name, which means
 * unprepared, for later texts than the first `max`, and without values: such a plan would be kept while the tables grow.
 */
export function createStatementNames(max = MAX_STATEMENTS): (text: string, values: number) => string {
  const names = new Map<string, string>();
  return (text, values) => {
    const known = names.get(text);
    if (known !== undefined) return known;
    if (names.size >= max || values === 0) return '';
    const name = `parley_${names.size}`;
    names.set(text, name);
    return name;
  };
}
