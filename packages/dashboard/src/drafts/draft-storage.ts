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

/**
 * With the time of the change. `undefined` removes it. A full or forbidden storage only costs the draft's survival of this page.
 */
export function writeDraft(key: string, value: object | undefined, now = Date.now()): void {
  try {
    if (value === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify({ ...value, at: now }));
  } catch {}
}

export function hasDrafts(personId: string): boolean {
  return keysOf(personId).length > 0;
}

/**
 * All drafts of a person in this browser, or those of a workspace, lists of contacts included: when they sign out or leave it, nothing of
 * theirs stays.
 */
export function removeDrafts(personId: string, workspaceId?: string): void {
  for (const key of keysOf(personId, workspaceId)) writeDraft(key, undefined);
}

/** Of something that is gone: its own draft, and those of its parts, whose names begin with its name and a slash. */
export function removeDraftsOf(key: string): void {
  for (const known of draftKeys(key)) if (`${known}/`.startsWith(`${key}/`)) writeDraft(known, undefined);
}

function keysOf(personId: string, workspaceId?: string): string[] {
  return draftKeys(`${PREFIX}${personId}:${workspaceId === undefined ? '' : `${workspaceId}:`}`);
}

/** The keys of all drafts, or of those that begin with this. */
export function draftKeys(beginning = PREFIX): string[] {
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith(beginning));
  } catch {
    return [];
  }
}
