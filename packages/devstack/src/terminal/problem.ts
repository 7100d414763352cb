/** Something that the person at the terminal can mend: its message says what to do, and is shown without a stack. */
export class Problem extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'Problem';
  }
}
