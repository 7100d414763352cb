export type Deferred = { promise: Promise<void>; resolve(): void; reject(error: Error): void };

/** A promise that is settled from outside; nobody has to be listening when it fails. (Node 22 has it built in.) */
export function createDeferred(): Deferred {
  let resolve: () => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<void>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}
