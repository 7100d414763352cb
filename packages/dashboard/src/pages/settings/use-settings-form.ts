import { useMutation } from '@tanstack/react-query';
import { api, queryClient } from '../../app/client.ts';
import { errorsByField } from '../../app/describe-error.ts';
import { notifyDone } from '../../app/notify.ts';
import { type WorkspaceSettings, workspaceQuery } from '../../app/workspace.ts';
import { changedFields, clashesUnseen } from '../../drafts/differences.ts';
import { type Draft, useDraft } from '../../drafts/use-draft.ts';

type Changes = NonNullable<Parameters<typeof api.workspace.update>[0]>;

type Options<T extends object> = {
  name: string;
  settings: WorkspaceSettings;
  /** What of the settings is edited, as the fields show it. */
  toForm: (settings: WorkspaceSettings) => T;
  toChanges: (value: T) => Changes;
};

type Form<T> = {
  draft: Draft<T>;
  save: () => void;
  isSaving: boolean;
  error: unknown;
  errors: Record<string, string>;
};

/** Some settings of the workspace as a form. Only what the person has changed is saved [dashboard.61]. */
export function useSettingsForm<T extends object>({
  name,
  settings,
  toForm,
  toChanges,
}: Options<T>): Form<T> {
  const shown = toForm(settings);
  const draft = useDraft(`settings/${name}`, shown);
  const { mutate, isPending, error } = useMutation({
    mutationFn: async (sent: T) => {
      const stored = await queryClient.fetchQuery({ ...workspaceQuery, staleTime: 0 });
      if (clashesUnseen(draft.base, sent, shown, toForm(stored))) return undefined;
      const changes = changedFields(toChanges(draft.base), toChanges(sent));
      return Object.keys(changes).length === 0 ? stored : api.workspace.update(changes);
    },
    onSuccess: (saved, sent) => {
      if (!saved) return;
      queryClient.setQueryData(workspaceQuery.queryKey, saved);
      draft.settle(sent, toForm(saved));
      notifyDone('Saved');
    },
  });
  return {
    draft,
    save: () => mutate(draft.value),
    isSaving: isPending,
    error,
    errors: errorsByField(error),
  };
}
