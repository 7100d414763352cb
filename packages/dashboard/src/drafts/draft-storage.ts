const PREFIX = 'parley:draft:';

export function draftKey(personId: string, workspaceId: string, name: string): string {
  return `${PREFIX}${personId}:${workspaceId}:${name}`;
}

export function readDraft<T>(key: string): T | undefined {
  try {
    const text = localStorage.getItem(key);
    return text === null ? undefined : (JSON.parse(text) as T);
  } catch {
    return undefined;
  }
}

/** `undefined` removes it. A full or forbidden storage only costs the draft's survival of this page. */
export function writeDraft(key: string, value: unknown): void {
  try {
    if (value === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(value));
  } catch {}
}

export function hasDrafts(personId: string): boolean {
  return keysOf(personId).length > 0;
}

/** All drafts of a person in this browser, lists of contacts included: when they sign out, nothing of theirs stays. */
export function removeDrafts(personId: string): void {
  for (const key of keysOf(personId)) localStorage.removeItem(key);
}

function keysOf(personId: string): string[] {
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith(`${PREFIX}${personId}:`));
  } catch {
    return [];
  }
}
