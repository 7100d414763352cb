import { useMutation } from '@tanstack/react-query';
import { api, queryClient } from '../../app/client.ts';
import { errorsByField } from '../../app/describe-error.ts';
import { notifyDone } from '../../app/notify.ts';
import { workspaceQuery } from '../../app/workspace.ts';
import { type Draft, useDraft } from '../../drafts/use-draft.ts';

type Changes = Parameters<typeof api.workspace.update>[0];

/** Some settings of the workspace as a form: a draft of `saved`, and how it is saved. */
export function useSettingsForm<T>(
  name: string,
  saved: T,
  changesOf: (value: T) => Changes,
): { draft: Draft<T>; save: () => void; isSaving: boolean; error: unknown; errors: Record<string, string> } {
  const draft = useDraft(`settings/${name}`, saved);
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => api.workspace.update(changesOf(draft.value)),
    onSuccess: async (settings) => {
      queryClient.setQueryData(workspaceQuery.queryKey, settings);
      draft.discard();
      notifyDone('Saved');
    },
  });
  return { draft, save: () => mutate(), isSaving: isPending, error, errors: errorsByField(error) };
}
