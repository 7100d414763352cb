/** All problems of an environment, each with the name of its variable and without its value. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The configuration is not valid: ${problems.join('; ')}`);
    this.name = 'ConfigError';
    this.problems = problems;
  }
}
