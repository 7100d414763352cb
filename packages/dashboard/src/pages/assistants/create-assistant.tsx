import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { Suspense } from 'react';
import { lazyComponent } from '../../app/lazy-component.ts';
import { RoleGate } from '../../components/role-gate.tsx';

const CreateAssistantDialog = lazyComponent(
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
      <Suspense>{isOpen ? <CreateAssistantDialog onClose={close} /> : null}</Suspense>
    </>
  );
}
