import longFiles from './long-files.json' with { type: 'json' };

/**
 * Files that take a machine longer than a developer waits: every page of the dashboard in each width and scheme, calls in real time, programs of others. `npm
 * test` leaves them out, and `npm test -- --full` runs them too; each area has shorter files that always run.
 */
export { longFiles };

/** Flags of jest that leave out the long files. */
export function withoutLongFiles(): string[] {
  const paths = longFiles.map((file) => file.replaceAll('.', '\\.'));
  return [`--testPathIgnorePatterns=/node_modules/|^<rootDir>/(${paths.join('|')})$`];
}
