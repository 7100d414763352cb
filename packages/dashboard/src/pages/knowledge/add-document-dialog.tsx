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
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { describeError } from '../../app/describe-error.ts';
import { newId } from '../../app/new-id.ts';
import { notifyError } from '../../app/notify.ts';
import { Modal } from '../../components/dialog.tsx';
import { DraftNote } from '../../drafts/draft-note.tsx';
import { type Draft, useDraft } from '../../drafts/use-draft.ts';
import { textDraftName } from './queries.ts';
import { ACCEPTED, readFile } from './text/read-file.ts';
import { addText } from './upload.ts';

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

type Upload = {
  key: string;
  name: string;
  state: 'reading' | 'indexing' | 'searchable' | { problem: string };
};

function UploadFiles({ baseId }: { baseId: string }) {
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const refresh = useRefresh(baseId);
  const isShown = useRef(false);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  const show = (key: string, state: Upload['state']) =>
    setUploads((now) => now.map((upload) => (upload.key === key ? { ...upload, state } : upload)));

  const add = async (files: readonly File[]) => {
    const added = files.map((file) => ({ file, key: newId() }));
    setUploads((now) => [
      ...now,
      ...added.map(({ file, key }) => ({ key, name: file.name, state: 'reading' as const })),
    ]);
    for (const { file, key } of added) {
      try {
        const { title, text } = await readFile(file);
        show(key, 'indexing');
        await addText(baseId, title, text);
        show(key, 'searchable');
      } catch (error) {
        const isOurs = error instanceof Error && error.constructor === Error;
        show(key, { problem: isOurs ? error.message : describeError(error).message });
        // The uploads go on after the dialog was closed.
        if (!isShown.current) notifyError(error, `${file.name} was not added`);
      }
    }
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
              {name} · {typeof state === 'string' ? STATES[state] : state.problem}
            </Text>
          </List.Item>
        ))}
      </List>
    </Stack>
  );
}

const STATES = { reading: 'reading', indexing: 'uploading and indexing', searchable: 'searchable' } as const;

function StateIcon({ state }: { state: Upload['state'] }) {
  if (typeof state !== 'string') return <IconAlertTriangle size={16} color="var(--bad)" />;
  return state === 'searchable' ? <IconCheck size={16} color="var(--good)" /> : <Loader size={14} />;
}

type PasteProps = { baseId: string; draft: Draft<typeof NO_TEXT>; onDone(): void };

function PasteText({ baseId, draft, onDone }: PasteProps) {
  const { title, text } = draft.value;
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const refresh = useRefresh(baseId);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation();
    setBusy(true);
    setProblem(undefined);
    try {
      await addText(baseId, title.trim(), text);
      draft.discard();
      await refresh();
      onDone();
    } catch (error) {
      setProblem(describeError(error).message);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
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
        {problem && (
          <Text size="sm" c="red" role="alert">
            {problem}
          </Text>
        )}
        <Group justify="flex-end">
          <Button type="submit" loading={isBusy} disabled={title.trim() === '' || text.trim() === ''}>
            Add
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
