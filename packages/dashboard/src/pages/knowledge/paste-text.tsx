import { Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useRef, useState } from 'react';
import { describeError } from '../../app/describe-error.ts';
import { Form } from '../../components/form.tsx';
import { DraftNote } from '../../drafts/draft-note.tsx';
import { SentBeforeNote } from '../../drafts/sent-before-note.tsx';
import { type Draft, useDraft } from '../../drafts/use-draft.ts';
import { useSend } from '../../drafts/use-send.ts';
import { textDraftName } from './queries.ts';
import { addText, type Progress, progressWords } from './upload.ts';
import { useIsShown } from './use-is-shown.ts';
import { useRefreshBase } from './use-refresh-base.ts';

const NO_TEXT = { title: '', text: '' };

/** A larger text is not stored in this browser: its title is. */
const MAX_STORED_CHARACTERS = 300_000;
const toStored = (draft: typeof NO_TEXT) =>
  draft.text.length > MAX_STORED_CHARACTERS ? { ...draft, text: '' } : draft;

export const useTextDraft = (baseId: string): Draft<typeof NO_TEXT> =>
  useDraft(textDraftName(baseId), NO_TEXT, toStored);

type PasteProps = { baseId: string; draft: Draft<typeof NO_TEXT>; onDone(): void };

/** Adds a typed or pasted text, in parts if it is too long for one document. */
export function PasteText({ baseId, draft, onDone }: PasteProps) {
  const { title, text } = draft.value;
  const [progress, setProgress] = useState<Progress>();
  /** Of a text whose upload has failed. */
  const sent = useRef({ title: '', text: '', added: 0 });
  const refresh = useRefreshBase(baseId);
  const isShown = useIsShown();
  const add = useSend(draft, {
    subject: (now) => `Text “${now.title.trim()}”`,
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
