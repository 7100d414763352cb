import { SERVERS, type ServerKind } from './server-kinds.ts';

/** Throws if a version is older than the platform's minimum. */
export function assertNewEnough(kind: ServerKind, version: string): void {
  const { title, oldest } = SERVERS[kind];
  if (compare(version, oldest) >= 0) return;
  throw new Error(`this is ${title} ${version}, but ${oldest} or newer is required`);
}

function compare(a: string, b: string): number {
  const [left, right] = [parts(a), parts(b)];
  for (const [index, part] of right.entries()) {
    const difference = (left[index] ?? 0) - part;
    if (difference !== 0) return difference;
  }
  return 0;
}

const parts = (version: string): number[] => version.split('.').map((part) => Number.parseInt(part, 10) || 0);
