/** An error that the user can fix: its message explains how, and is shown without a stack trace. */
export class Problem extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'Problem';
  }
}
