// jest resolves imports of workspace packages to their sources when it runs tests, by `customExportConditions`, but not when
// it looks for the tests that depend on a changed file (`npm test -- --changed`).
module.exports = (path, options) =>
  options.defaultResolver(path, {
    ...options,
    conditions: [...(options.conditions ?? ['import', 'node', 'default']), 'source'],
  });
