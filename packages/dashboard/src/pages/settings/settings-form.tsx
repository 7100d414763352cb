import { Button, Group, Stack, Text } from '@mantine/core';
import { type ReactNode, Suspense } from 'react';
import { ErrorNote } from '../../components/error-note.tsx';
import { Form } from '../../components/form.tsx';
import { DiscardChanges } from '../../drafts/discard-changes.tsx';
import { ConflictGuard } from '../../drafts/lazy-conflict-guard.ts';
import { LeaveGuard } from '../../drafts/leave-guard.tsx';
import type { Draft } from '../../drafts/use-draft.ts';
import styles from './settings.module.css';

type Props<T> = {
  draft: Draft<T>;
  onSave: () => void;
  isSaving: boolean;
  error: unknown;
  /** Why the person cannot change it. */
  reason: string | undefined;
  what: string;
  children: ReactNode;
};

/** The frame of a form of settings: saves, discards, and keeps what is not saved. */
export function SettingsForm<T>({ draft, onSave, isSaving, error, reason, what, children }: Props<T>) {
  return (
    <Form className={styles.form} onSubmit={() => onSave()}>
      <Stack gap="md">
        {reason ? (
          <Text size="sm" c="dimmed">
            {reason}.
          </Text>
        ) : null}
        {children}
        {error ? <ErrorNote error={error} /> : null}
        {reason ? null : (
          <Group gap="xs">
            <Button type="submit" loading={isSaving} disabled={!draft.isDirty}>
              Save
            </Button>
            <DiscardChanges draft={draft} />
          </Group>
        )}
      </Stack>
      <Suspense>{draft.theirs === undefined ? null : <ConflictGuard draft={draft} what={what} />}</Suspense>
      <LeaveGuard isDirty={draft.isDirty} onDiscard={draft.discard} what={what} />
    </Form>
  );
}
