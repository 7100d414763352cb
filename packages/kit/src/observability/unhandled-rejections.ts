let count = 0;

export function noteUnhandledRejection(): void {
  count += 1;
}

/** The number of unhandled rejections since the process started. */
export function unhandledRejections(): number {
  return count;
}
