import { Tabs } from '@mantine/core';
import { Modal } from '../../components/dialog.tsx';
import { PasteText, useTextDraft } from './paste-text.tsx';
import { UploadFiles } from './upload-files.tsx';

type Props = { baseId: string; baseName: string; onClose(): void };

/** Files or a pasted text for a knowledge base. Loaded when it is opened. */
export function AddDocumentDialog({ baseId, baseName, onClose }: Props) {
  const draft = useTextDraft(baseId);
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
