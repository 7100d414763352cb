import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { lazyDialog } from '../../components/lazy-component.tsx';
import { RoleGate } from '../../components/role-gate.tsx';

const CreateAssistantDialog = lazyDialog(
  () => import('./create-assistant-dialog.tsx'),
  'CreateAssistantDialog',
);

/** A button that creates an assistant from a template and opens its editor. */
export function CreateAssistant({ label = 'New assistant' }: { label?: string }) {
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <RoleGate minimum="developer">
        <Button leftSection={<IconPlus size={16} />} onClick={open}>
          {label}
        </Button>
      </RoleGate>
      {isOpen ? <CreateAssistantDialog onClose={close} /> : null}
    </>
  );
}
