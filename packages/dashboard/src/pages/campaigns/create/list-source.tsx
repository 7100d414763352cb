import { Alert, Button, Code, Stack, Tabs, Text, Textarea } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { type DragEvent, useRef, useState } from 'react';
import styles from './list-source.module.css';
import { readFileText, UnreadableList } from './read-list.ts';
import type { Source } from './use-contact-list.ts';

/** A file, by choosing or dropping it, or pasted text. */
export function ListSource(props: PasteProps) {
  return (
    <Tabs defaultValue={props.pasted === '' ? 'file' : 'paste'} keepMounted={false}>
      <Tabs.List mb="md">
        <Tabs.Tab value="file">Upload a file</Tabs.Tab>
        <Tabs.Tab value="paste">Paste</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="file">
        <FileDrop onSource={props.onSource} />
      </Tabs.Panel>
      <Tabs.Panel value="paste">
        <PasteField {...props} />
      </Tabs.Panel>
    </Tabs>
  );
}

type Props = { onSource: (source: Source) => void };
type PasteProps = Props & { pasted: string; onPasted: (text: string) => void };

function FileDrop({ onSource }: Props) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const [problem, setProblem] = useState<string>();
  const read = async (file: File | undefined) => {
    if (!file) return;
    setProblem(undefined);
    try {
      onSource({ text: await readFileText(file), fileName: file.name });
    } catch (error) {
      setProblem(error instanceof UnreadableList ? error.message : 'The file could not be read.');
    }
  };
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    void read(event.dataTransfer.files[0]);
  };
  return (
    <Stack gap="sm">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the button inside does the same */}
      <div
        className={styles.drop}
        data-over={isOver || undefined}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={onDrop}
      >
        <IconUpload size={28} aria-hidden />
        <Text fw={600}>Drop a CSV file here</Text>
        <Text size="sm" c="dimmed">
          One row for each contact, with any columns: one has the phone number, the others can be the name and
          the variables of your assistant.
        </Text>
        <Button mt="xs" onClick={() => input.current?.click()}>
          Choose a file
        </Button>
        <input
          ref={input}
          type="file"
          accept=".csv,.tsv,.txt,text/csv,text/plain,text/tab-separated-values"
          aria-label="CSV file of contacts"
          className="visually-hidden"
          tabIndex={-1}
          onChange={(event) => {
            void read(event.currentTarget.files?.[0]);
            event.currentTarget.value = '';
          }}
        />
      </div>
      {problem ? (
        <Alert color="red" variant="light" role="alert" title="This file cannot be used">
          {problem}
        </Alert>
      ) : null}
      <Text size="xs" c="dimmed">
        For example: <Code>phone,name,day</Code> and then <Code>+14155550199,Grace,Monday</Code>
      </Text>
    </Stack>
  );
}

function PasteField({ pasted, onPasted, onSource }: PasteProps) {
  return (
    <Stack gap="sm" align="start">
      <Textarea
        label="Rows of contacts"
        description="Copied from a spreadsheet, or one phone number in each line"
        placeholder={'phone,name,day\n+14155550199,Grace,Monday'}
        autosize
        minRows={8}
        maxRows={20}
        w="100%"
        value={pasted}
        onChange={(event) => onPasted(event.currentTarget.value)}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
      />
      <Button disabled={pasted.trim() === ''} onClick={() => onSource({ text: pasted, fileName: null })}>
        Use these rows
      </Button>
    </Stack>
  );
}
