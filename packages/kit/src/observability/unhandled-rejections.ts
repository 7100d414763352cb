let count = 0;

export function noteUnhandledRejection(): void {
  count += 1;
}

/** The number since the process started. */
export function unhandledRejections(): number {
  return count;
}
