/** Every problem of an environment at once, each naming its variable; no value is ever shown. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The configuration is not valid: ${problems.join('; ')}`);
    this.name = 'ConfigError';
    this.problems = problems;
  }
}
