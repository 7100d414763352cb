import { Alert, Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { ParleyError } from '@parley/client/browser';
import { useEffect, useState } from 'react';
import { notifyUndoable } from '../../../app/notify-undoable.ts';
import { ErrorNote } from '../../../components/error-note.tsx';
import { lazyDialog } from '../../../components/lazy-component.tsx';
import { Time } from '../../../components/time.tsx';
import type { Choices } from './conflict-dialog.tsx';
import { pathLabel } from './path-label.ts';
import type { DraftState } from './use-assistant-draft.ts';

const ConflictDialog = lazyDialog(() => import('./conflict-dialog.tsx'), 'ConflictDialog');

type Props = {
  state: DraftState;
  /** Why the assistant could not be read again. */
  readFailure: unknown;
  lockedBecause: string | undefined;
};

/** What a person must know before going on: conflicts, refused values, restored changes, a lost connection, a missing role. */
export function EditorNotes({ state, readFailure, lockedBecause }: Props) {
  const { clash, errors, failure, restoredFrom, isDirty } = state;
  const wrong = Object.entries(errors);
  const isAsked = clash !== null && clash.conflicts.length > 0 && isConflict(failure);
  return (
    <Stack
      gap="sm"
      mb={
        clash || wrong.length > 0 || failure !== undefined || restoredFrom || lockedBecause || readFailure
          ? 'md'
          : 0
      }
    >
      {lockedBecause && (
        <Alert color="gray">{lockedBecause}. You can look at everything and change nothing.</Alert>
      )}
      {isDeleted(readFailure) ? (
        <Alert color="red" role="alert" title="This assistant was deleted">
          Somebody has deleted it meanwhile, so it cannot be saved any more. What you typed stays here: copy
          what you need, for example from the tab JSON.
        </Alert>
      ) : readFailure ? (
        <Alert color="yellow" role="status">
          The platform could not be reached just now: this is what was read before. What you type stays here.
        </Alert>
      ) : null}
      {restoredFrom !== null && isDirty && (
        <Alert color="blue" title="Your unsaved changes are still here">
          <Group justify="space-between" gap="sm">
            <Text size="sm">
              From <Time at={new Date(restoredFrom).toISOString()} as="relative" />, kept in this browser.
            </Text>
            <Button
              size="xs"
              variant="default"
              onClick={() => void notifyUndoable('Your changes are discarded', state.discard())}
            >
              Discard them
            </Button>
          </Group>
        </Alert>
      )}
      {clash && clash.conflicts.length > 0 && <ClashNote state={state} />}
      {wrong.length > 0 && (
        <Alert
          color="red"
          title={
            wrong.length === 1
              ? 'Not saved: one value was refused'
              : `Not saved: ${wrong.length} values were refused`
          }
          role="alert"
        >
          <ul style={{ margin: 0, paddingLeft: '1.1rem' }}>
            {wrong.map(([path, message]) => (
              <li key={path}>
                <Text size="sm" span fw={500}>
                  {pathLabel(path)}
                </Text>
                : {message}
              </li>
            ))}
          </ul>
        </Alert>
      )}
      {failure !== undefined && wrong.length === 0 && !isAsked && (
        <ErrorNote error={failure} title="Not saved" onRetry={() => void state.save()} />
      )}
    </Stack>
  );
}

function isDeleted(failure: unknown): boolean {
  return failure instanceof ParleyError && failure.status === 404;
}

function isConflict(failure: unknown): boolean {
  return failure instanceof ParleyError && failure.status === 409;
}

function ClashNote({ state }: { state: DraftState }) {
  const [isOpen, setOpen] = useState(false);
  // They stay while the dialog is closed.
  const [chosen, setChosen] = useState<Choices>({});
  const { clash, failure } = state;
  // Saving is refused until it is decided: then the question comes by itself.
  useEffect(() => {
    if (isConflict(failure)) setOpen(true);
  }, [failure]);
  if (!clash) return null;
  return (
    <Alert color="orange" title="Another person saved this assistant meanwhile" role="alert">
      <Text size="sm">
        You both changed {clash.conflicts.map(({ path }) => pathLabel(path.join('.'))).join(', ')}. Nothing of
        yours is lost:{' '}
        <Anchor component="button" type="button" size="sm" onClick={() => setOpen(true)}>
          compare both versions
        </Anchor>{' '}
        and choose.
      </Text>
      {isOpen ? (
        <ConflictDialog
          clash={clash}
          chosen={chosen}
          onChoose={setChosen}
          onClose={() => setOpen(false)}
          onSettle={(next) => {
            setOpen(false);
            state.settle(next);
          }}
        />
      ) : null}
    </Alert>
  );
}
