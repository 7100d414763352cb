import { z } from 'zod';
import { demoFile } from './demo-workspace.ts';
import { readJsonFile, writeJsonFile } from './json-file.ts';

/** The line that `webhook-secret rotate` prints. */
const rotated = z.object({ workspace_id: z.string(), webhook_secret: z.string() });

/** Stores the new secret of the workspace `demo` for the receivers of this stack; secrets of other workspaces are not stored. */
export function keepRotatedSecret(path: string, line: string): void {
  const { workspace_id, webhook_secret } = rotated.parse(JSON.parse(line));
  const demo = readJsonFile(path, demoFile);
  if (demo?.workspace_id === workspace_id) writeJsonFile(path, { ...demo, webhook_secret });
}
