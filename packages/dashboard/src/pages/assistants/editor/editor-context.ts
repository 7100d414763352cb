import { createContext, useContext } from 'react';
import type { Assistant, Draft } from '../model/draft.ts';
import type { FieldErrors } from '../model/field-errors.ts';

/** What the fields of the editor read and write. Paths are those of the API: `config.voice.voiceId`. */
export type Editor = {
  base: Assistant;
  draft: Draft;
  errors: FieldErrors;
  /** Why nothing can be changed; undefined: it can. */
  lockedBecause: string | undefined;
  get(path: string): unknown;
  /** Undefined removes the key, which returns it to its default. */
  set(path: string, value: unknown): void;
};

export const EditorContext = createContext<Editor | null>(null);

export function useEditor(): Editor {
  const editor = useContext(EditorContext);
  if (!editor) throw new Error('useEditor outside of an editor');
  return editor;
}
