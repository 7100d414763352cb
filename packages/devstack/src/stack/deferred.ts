export type Deferred<T> = { promise: Promise<T>; resolve(value: T): void; reject(error: Error): void };

/** A promise that is settled from outside; an unobserved rejection is ignored. (Node 22: `Promise.withResolvers`.) */
export function createDeferred<T = void>(): Deferred<T> {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}
