import { ParleyError } from '@parley/client/browser';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { api } from '../../../app/client.ts';
import { readDraft, writeDraft } from '../../../drafts/draft-storage.ts';
import { openForm, useOpenForm } from '../../../drafts/open-forms.ts';
import { useDraftKey } from '../../../drafts/use-draft-key.ts';
import {
  type Assistant,
  type Draft,
  draftName,
  isChanged,
  type KeptDraft,
  toDraft,
  toKept,
  toUpdate,
} from '../model/draft.ts';
import { type FieldErrors, fieldErrors } from '../model/field-errors.ts';
import { type JsonObject, valueAt, withValueAt } from '../model/json.ts';
import { type Conflict, mergeThreeWay } from '../model/three-way.ts';
import { assistantQuery } from '../queries.ts';

/** The version that is edited, and what was changed in it. */
type Edited = { base: Assistant; draft: Draft; restoredFrom: number | null };

/** Brings back what was discarded. */
type BringBack = (discarded: Edited) => void;

export type Clash = { theirs: Assistant; conflicts: Conflict[]; merged: Draft };

/**
 * The draft of one assistant: edits, saving, and what another editor saved meanwhile. `current` is the stored version. Unlike `useDraft` it
 * puts changes of different fields together, and never stores secrets.
 */
export function useAssistantDraft(current: Assistant) {
  const { id } = current;
  const client = useQueryClient();
  const key = useDraftKey(draftName(id));
  const [edited, setEdited] = useState<Edited>(() => open(current, key));
  const [errors, setErrors] = useState<FieldErrors>({});
  const [failure, setFailure] = useState<unknown>();
  const [isSaving, setSaving] = useState(false);
  const { base, draft } = edited;
  const isDirty = isChanged(base, draft);
  const clash = current.updated_at > base.updated_at ? clashOf(edited, current) : null;

  // What does not touch the edits is taken over at once; only a real conflict asks.
  useEffect(() => {
    setEdited((now) => ontoTheirs(now, current));
  }, [current]);

  const bringBackHere: BringBack = useCallback(
    (discarded) => setEdited((now) => ontoTheirs(withSince(discarded, now), current)),
    [current],
  );
  useOpenForm(key, bringBackHere);

  // Another tab may have a draft of its own there: only what is from here is removed.
  const isStored = useRef(edited.restoredFrom !== null);
  useEffect(() => {
    if (isDirty) writeDraft(key, toKept({ base, draft }));
    else if (isStored.current) writeDraft(key, undefined);
    isStored.current = isDirty;
  }, [key, isDirty, base, draft]);

  const set = useCallback((path: string, value: unknown) => {
    setEdited((now) => {
      const changed = withValueAt(now.draft as JsonObject, path.split('.'), value);
      return { ...now, draft: changed as Draft };
    });
    setErrors((known) => withoutErrorsAt(known, path));
  }, []);

  const adopt = useCallback(
    (saved: Assistant) => {
      client.setQueryData(assistantQuery(id).queryKey, saved);
      void client.invalidateQueries({ queryKey: ['assistants'] });
    },
    [client, id],
  );

  const send = useCallback(
    async (from: Pick<Edited, 'base' | 'draft'>): Promise<void> => {
      const saved = await api.assistants.update(id, toUpdate(from.base, from.draft));
      setErrors({});
      // What was typed while the request was on its way stays.
      setEdited((now) => ({
        base: saved,
        draft: mergeThreeWay(asJson(from.draft), asJson(now.draft), asJson(toDraft(saved))).merged as Draft,
        restoredFrom: null,
      }));
      adopt(saved);
    },
    [id, adopt],
  );

  const save = useCallback(async (): Promise<void> => {
    setSaving(true);
    setFailure(undefined);
    try {
      await send({ base, draft }).catch(async (error: unknown) => {
        if (!isConflict(error)) throw error;
        const theirs = await client.fetchQuery({ ...assistantQuery(id), staleTime: 0 });
        const { conflicts, merged } = clashOf({ base, draft }, theirs);
        if (conflicts.length > 0) throw error;
        setEdited((now) => ontoTheirs(now, theirs));
        await send({ base: theirs, draft: merged });
      });
    } catch (error) {
      setFailure(error);
      if (error instanceof ParleyError && error.status === 422) setErrors(fieldErrors(error.details));
    } finally {
      setSaving(false);
    }
  }, [id, base, draft, send, client]);

  return {
    base,
    draft,
    isDirty,
    isSaving,
    errors,
    failure,
    clash,
    restoredFrom: edited.restoredFrom,
    get: (path: string) => valueAt(draft, path.split('.')),
    set,
    save,
    /** Goes on with a decided conflict, on top of the version of the other editor. */
    settle: (next: Draft) => {
      setFailure(undefined);
      setEdited({ base: current, draft: next, restoredFrom: null });
    },
    replaceDraft: (next: Draft) => {
      setErrors({});
      setEdited((now) => ({ ...now, draft: next }));
    },
    /** Returns what brings the changes back, in the editor that is open by then. What was typed since stays. */
    discard: () => {
      setErrors({});
      setFailure(undefined);
      setEdited({ base: current, draft: toDraft(current), restoredFrom: null });
      return () => {
        const bringBack = openForm<BringBack>(key);
        if (bringBack) bringBack(edited);
        else writeDraft(key, toKept(withSince(edited, readDraft<KeptDraft>(key))));
      };
    },
    adopt,
  };
}

export type DraftState = ReturnType<typeof useAssistantDraft>;

function open(current: Assistant, key: string): Edited {
  const kept = readDraft<KeptDraft>(key);
  return kept
    ? { base: kept.base, draft: kept.draft, restoredFrom: kept.at }
    : { base: current, draft: toDraft(current), restoredFrom: null };
}

function clashOf({ base, draft }: Pick<Edited, 'base' | 'draft'>, theirs: Assistant): Clash {
  const { merged, conflicts } = mergeThreeWay(asJson(toDraft(base)), asJson(draft), asJson(toDraft(theirs)));
  return { theirs, conflicts, merged: merged as Draft };
}

/** The same edits on top of a newer version, unless they conflict with it. */
function ontoTheirs(now: Edited, theirs: Assistant): Edited {
  if (theirs.updated_at <= now.base.updated_at) return now;
  const { conflicts, merged } = clashOf(now, theirs);
  return conflicts.length > 0 ? now : { ...now, base: theirs, draft: merged };
}

/** A draft that was discarded, with what was changed since then. */
function withSince(discarded: Edited, since: Pick<Edited, 'base' | 'draft'> | undefined): Edited {
  if (!since) return discarded;
  const { merged } = mergeThreeWay(asJson(toDraft(since.base)), asJson(since.draft), asJson(discarded.draft));
  return { ...discarded, draft: merged as Draft };
}

function isConflict(error: unknown): boolean {
  return error instanceof ParleyError && error.status === 409;
}

function asJson(draft: Draft): JsonObject {
  return draft as JsonObject;
}

function withoutErrorsAt(errors: FieldErrors, path: string): FieldErrors {
  const kept = Object.entries(errors).filter(([key]) => key !== path && !key.startsWith(`${path}.`));
  return kept.length === Object.keys(errors).length ? errors : Object.fromEntries(kept);
}
