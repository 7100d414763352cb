const own = new Set<number>();

/** A server of this process listens on the port, which the operating system may have chosen. Returns how to take that back. */
export function noteOwnPort(port: number): () => void {
  own.add(port);
  return () => void own.delete(port);
}

export const isOwnPort = (port: number): boolean => own.has(port);
