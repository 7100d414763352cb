import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { lazyDialog } from '../../components/lazy-component.tsx';
import { RoleGate } from '../../components/role-gate.tsx';

const CreateBaseDialog = lazyDialog(() => import('./create-base-dialog.tsx'), 'CreateBaseDialog');

type Props = { onCreated(id: string): void; isPrimary?: boolean };

/** A button that asks for a name and creates a knowledge base. */
export function CreateBase({ onCreated, isPrimary = false }: Props) {
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <RoleGate minimum="developer">
        <Button
          variant={isPrimary ? 'filled' : 'default'}
          leftSection={<IconPlus size={16} />}
          onClick={open}
        >
          New knowledge base
        </Button>
      </RoleGate>
      {isOpen ? <CreateBaseDialog onClose={close} onCreated={onCreated} /> : null}
    </>
  );
}
