import { Button, FileInput, List, Loader, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconUpload } from '@tabler/icons-react';
import { useEffect } from 'react';
import { describeError } from '../../app/describe-error.ts';
import { newId } from '../../app/new-id.ts';
import { notifyError } from '../../app/notify.ts';
import { createStore, useStore } from '../../app/store.ts';
import { useDraftKey } from '../../drafts/use-draft-key.ts';
import { textDraftName } from './queries.ts';
import { ACCEPTED, readFile } from './text/read-file.ts';
import { addText, type Progress, progressWords } from './upload.ts';
import { useIsShown } from './use-is-shown.ts';
import { useRefreshBase } from './use-refresh-base.ts';

type State = 'reading' | 'searchable' | Progress | Failure;
type Failure = { problem: string; retry: (() => void) | undefined };
type Upload = { key: string; name: string; state: State };

/** By the key of the base's draft: a dialog that is closed and opened again shows what is still uploading or has failed. */
const uploadsOf = createStore<Readonly<Record<string, readonly Upload[]>>>({});

function useUploads(baseId: string) {
  const key = useDraftKey(textDraftName(baseId));
  const set = (change: (now: readonly Upload[]) => readonly Upload[]) => {
    const all = uploadsOf.get();
    uploadsOf.set({ ...all, [key]: change(all[key] ?? []) });
  };
  const isShown = useIsShown();
  useEffect(() => set((now) => now.filter(({ state }) => isOpen(state))), [key]);
  return { uploads: useStore(uploadsOf)[key] ?? NO_UPLOADS, set, isShown };
}

/** It is uploading, or can be tried again. */
const isOpen = (state: State): boolean =>
  isFailure(state) ? state.retry !== undefined : state !== 'searchable';

const NO_UPLOADS: readonly Upload[] = [];

/** Reads files in the browser and adds their texts, one after another. */
export function UploadFiles({ baseId }: { baseId: string }) {
  const { uploads, set: setUploads, isShown } = useUploads(baseId);
  const refresh = useRefreshBase(baseId);
  const show = (key: string, state: State) =>
    setUploads((now) => now.map((upload) => (upload.key === key ? { ...upload, state } : upload)));

  const send = async (key: string, file: File, from: number) => {
    let added = from;
    let isRead = false;
    show(key, 'reading');
    try {
      const { title, text } = await readFile(file);
      isRead = true;
      const onProgress = (progress: Progress) => {
        added = progress.added;
        show(key, progress);
      };
      await addText({ baseId, title, text, from, idempotencyKey: key, onProgress });
      show(key, 'searchable');
    } catch (error) {
      const isOurs = error instanceof Error && error.constructor === Error;
      show(key, {
        problem: isOurs ? error.message : describeError(error).message,
        // What cannot be read will not be readable later.
        retry: isRead ? () => void send(key, file, added).then(refresh) : undefined,
      });
      if (!isShown.current) notifyError(error, `${file.name} was not added`);
    }
  };
  const add = async (files: readonly File[]) => {
    const chosen = files.map((file) => ({ file, key: newId() }));
    setUploads((now) => [
      ...now,
      ...chosen.map(({ file, key }) => ({ key, name: file.name, state: 'reading' as const })),
    ]);
    for (const { file, key } of chosen) await send(key, file, 0);
    await refresh();
  };
  return (
    <Stack>
      <FileInput
        label="Files"
        description="Text, Markdown, HTML, PDF, CSV or JSON. They are read here in your browser, and their text is uploaded."
        placeholder="Choose files, or drop them here"
        leftSection={<IconUpload size={16} />}
        accept={ACCEPTED.join(',')}
        multiple
        value={[]}
        onChange={(files) => void add(files)}
      />
      <List listStyleType="none" spacing="xs" aria-live="polite">
        {uploads.map(({ key, name, state }) => (
          <List.Item key={key} icon={<StateIcon state={state} />}>
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              {name} · {stateWords(state)}
              {isFailure(state) && state.retry ? (
                <Button
                  ml="xs"
                  size="compact-xs"
                  variant="default"
                  onClick={state.retry}
                  aria-label={`Try again: ${name}`}
                >
                  Try again
                </Button>
              ) : null}
            </Text>
          </List.Item>
        ))}
      </List>
    </Stack>
  );
}

const isFailure = (state: State): state is Failure => typeof state === 'object' && 'problem' in state;

function stateWords(state: State): string {
  if (typeof state === 'string') return state;
  return isFailure(state) ? state.problem : progressWords(state);
}

function StateIcon({ state }: { state: State }) {
  if (isFailure(state)) return <IconAlertTriangle size={16} color="var(--bad)" />;
  return state === 'searchable' ? <IconCheck size={16} color="var(--good)" /> : <Loader size={14} />;
}
