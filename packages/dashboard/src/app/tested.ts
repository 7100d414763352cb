/** That a test is stored nowhere else: the platform keeps nothing of it. */
const keyOf = (workspaceId: string): string => `parley:tested:${workspaceId}`;

/** Whether a person has talked to an assistant of the workspace in this browser. */
export function hasTested(workspaceId: string): boolean {
  try {
    return localStorage.getItem(keyOf(workspaceId)) !== null;
  } catch {
    return false;
  }
}

export function noteTest(workspaceId: string): void {
  try {
    localStorage.setItem(keyOf(workspaceId), new Date().toISOString());
  } catch {
    // Storage may be full or switched off.
  }
}
