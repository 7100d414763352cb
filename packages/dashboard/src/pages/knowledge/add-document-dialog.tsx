import {
  Button,
  FileInput,
  Group,
  List,
  Loader,
  Stack,
  Tabs,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconUpload } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { describeError } from '../../app/describe-error.ts';
import { newId } from '../../app/new-id.ts';
import { notifyError } from '../../app/notify.ts';
import { createStore, useStore } from '../../app/store.ts';
import { Modal } from '../../components/dialog.tsx';
import { Form } from '../../components/form.tsx';
import { DraftNote } from '../../drafts/draft-note.tsx';
import { SentBeforeNote } from '../../drafts/sent-before-note.tsx';
import { type Draft, useDraft } from '../../drafts/use-draft.ts';
import { useDraftKey } from '../../drafts/use-draft-key.ts';
import { useSend } from '../../drafts/use-send.ts';
import { textDraftName } from './queries.ts';
import { ACCEPTED, readFile } from './text/read-file.ts';
import { addText, type Progress } from './upload.ts';

type Props = { baseId: string; baseName: string; onClose(): void };

const NO_TEXT = { title: '', text: '' };

/** A larger text is not stored in this browser: its title is. */
const MAX_STORED_CHARACTERS = 300_000;
const toStored = (draft: typeof NO_TEXT) =>
  draft.text.length > MAX_STORED_CHARACTERS ? { ...draft, text: '' } : draft;

/** Files or a pasted text for a knowledge base. Loaded when it is opened. */
export function AddDocumentDialog({ baseId, baseName, onClose }: Props) {
  const draft = useDraft(textDraftName(baseId), NO_TEXT, toStored);
  return (
    <Modal opened onClose={onClose} title={`Add to ${baseName}`} size="lg">
      <Tabs defaultValue={draft.isDirty ? 'paste' : 'upload'} keepMounted>
        <Tabs.List mb="md">
          <Tabs.Tab value="upload">Upload files</Tabs.Tab>
          <Tabs.Tab value="paste">Paste text</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="upload">
          <UploadFiles baseId={baseId} />
        </Tabs.Panel>
        <Tabs.Panel value="paste">
          <PasteText baseId={baseId} draft={draft} onDone={onClose} />
        </Tabs.Panel>
      </Tabs>
    </Modal>
  );
}

function useRefresh(baseId: string): () => Promise<unknown> {
  const client = useQueryClient();
  return () =>
    Promise.all([
      client.invalidateQueries({ queryKey: ['knowledge', 'bases'] }),
      client.invalidateQueries({ queryKey: ['knowledge', 'base', baseId] }),
      client.invalidateQueries({ queryKey: ['knowledge', 'documents', baseId] }),
      client.invalidateQueries({ queryKey: ['knowledge', 'search'] }),
    ]);
}

/** Uploads go on after the dialog was closed, and then report errors elsewhere. */
function useIsShown() {
  const isShown = useRef(false);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  return isShown;
}

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

function UploadFiles({ baseId }: { baseId: string }) {
  const { uploads, set: setUploads, isShown } = useUploads(baseId);
  const refresh = useRefresh(baseId);
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

function progressWords({ added, parts }: Progress): string {
  return parts === 1 ? 'uploading and indexing' : `uploading and indexing, part ${added + 1} of ${parts}`;
}

function StateIcon({ state }: { state: State }) {
  if (isFailure(state)) return <IconAlertTriangle size={16} color="var(--bad)" />;
  return state === 'searchable' ? <IconCheck size={16} color="var(--good)" /> : <Loader size={14} />;
}

type PasteProps = { baseId: string; draft: Draft<typeof NO_TEXT>; onDone(): void };

function PasteText({ baseId, draft, onDone }: PasteProps) {
  const { title, text } = draft.value;
  const [progress, setProgress] = useState<Progress>();
  /** Of a text whose upload has failed. */
  const sent = useRef({ title: '', text: '', added: 0 });
  const refresh = useRefresh(baseId);
  const isShown = useIsShown();
  const add = useSend(draft, {
    send: (now, { idempotencyKey }) => {
      const isSame = sent.current.title === now.title && sent.current.text === now.text;
      const onProgress = (progress: Progress) => {
        sent.current = { ...now, added: progress.added };
        setProgress(progress);
      };
      const from = isSame ? sent.current.added : 0;
      return addText({ baseId, ...now, title: now.title.trim(), from, idempotencyKey, onProgress });
    },
    onSuccess: async (_, done) => {
      draft.settle(done, NO_TEXT);
      await refresh();
      if (isShown.current) onDone();
    },
    onSentBefore: () => {
      // What was typed since stays.
      if (!draft.isDirty) onDone();
    },
  });
  return (
    <Form onSubmit={add.submit}>
      <Stack>
        <DraftNote draft={draft} />
        <TextInput
          label="Title"
          description="It is searched with every passage of the text."
          placeholder="Opening hours"
          value={title}
          onChange={(event) => draft.change({ title: event.currentTarget.value })}
          maxLength={200}
        />
        <Textarea
          label="Text"
          placeholder="We are open from 9 to 17, Monday to Friday."
          autosize
          minRows={8}
          maxRows={18}
          value={text}
          onChange={(event) => draft.change({ text: event.currentTarget.value })}
        />
        <SentBeforeNote of={add} />
        {add.error === null ? null : (
          <Text size="sm" c="red" role="alert">
            {describeError(add.error).message}
          </Text>
        )}
        <Group justify="flex-end">
          {add.isPending && progress && progress.parts > 1 ? (
            <Text size="sm" c="dimmed" role="status">
              {progressWords(progress)}
            </Text>
          ) : null}
          <Button type="submit" loading={add.isPending} disabled={title.trim() === '' || text.trim() === ''}>
            Add
          </Button>
        </Group>
      </Stack>
    </Form>
  );
}
