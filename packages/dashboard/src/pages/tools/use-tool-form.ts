import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api } from '../../app/client.ts';
import { notifyDone } from '../../app/notify.ts';
import { changedFields } from '../../drafts/differences.ts';
import { useDraft } from '../../drafts/use-draft.ts';
import { useSend } from '../../drafts/use-send.ts';
import { assistantQuery, type Tool } from '../assistants/queries.ts';
import { ontoTheirs, type ToolForm, toBody, toForm, withoutSecrets } from './tool-form.ts';

const NO_TOOL = toForm(null);

export type EditedTool = {
  agentId: string;
  stored: Tool | null;
  draftName: string;
  onClose(): void;
};

/**
 * The draft of a tool and how it is saved. What another person saves meanwhile is merged into the draft; `clashes` names the fields that
 * both changed, which are saved by saving again.
 */
export function useToolForm({ agentId, stored, draftName, onClose }: EditedTool) {
  const client = useQueryClient();
  /** The newest version that is known here. */
  const [known, setKnown] = useState(() => toForm(stored));
  const draft = useDraft(draftName, known, withoutSecrets);
  const { value: form, base, theirs, rebase } = draft;
  const [clashes, setClashes] = useState<string[]>([]);
  const set = <K extends keyof ToolForm>(key: K, value: ToolForm[K]) =>
    draft.set((now) => ({ ...now, [key]: value }));
  useUnloadWarning(draft.isDirty);

  // What another person has saved since the draft was begun.
  useEffect(() => {
    if (theirs === undefined) return;
    const joined = ontoTheirs(base, form, theirs);
    rebase(theirs, joined.form);
    setClashes(joined.clashes);
  }, [theirs, base, form, rebase]);

  const save = useSend(draft, {
    subject: (sent) => `Tool ${sent.name.trim()}`,
    send: async (sent, request) => {
      const body = toBody(sent);
      if (!stored) {
        await api.tools.createCustom({ ...body, agent_id: agentId }, request);
        return { saved: NO_TOOL, isClash: false };
      }
      const current = await api.tools.get(stored.id);
      if (ontoTheirs(base, sent, toForm(current)).clashes.length > 0)
        return { saved: toForm(current), isClash: true };
      const changes = changedFields(toBody(base), body);
      const isChanged = Object.keys(changes).length > 0;
      const changed = isChanged ? await api.tools.updateCustom(stored.id, changes) : current;
      return { saved: toForm(changed), isClash: false };
    },
    onSuccess: async ({ saved, isClash }, sent) => {
      setKnown(saved);
      if (isClash) return;
      const isAllSaved = draft.settle(sent, saved);
      // Its list, and that of all assistants.
      await client.invalidateQueries({ queryKey: ['tools'] });
      await client.invalidateQueries({ queryKey: assistantQuery(agentId).queryKey });
      const name = sent.name.trim();
      notifyDone(stored ? `${name} is saved` : `${name} is added, and in use`);
      if (isAllSaved || !stored) onClose();
    },
    onSentBefore: ({ saved, isClash }) => {
      setKnown(saved);
      if (stored && !isClash) onClose();
    },
  });
  const takeTheirs = () => {
    draft.discard();
    setClashes([]);
  };
  return { draft, set, save, clashes, takeTheirs };
}

/** The browser asks before a page with typed text is closed. */
function useUnloadWarning(isDirty: boolean): void {
  useEffect(() => {
    if (!isDirty) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [isDirty]);
}
