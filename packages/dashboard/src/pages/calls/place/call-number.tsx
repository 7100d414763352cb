import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPhoneOutgoing } from '@tabler/icons-react';
import { lazyDialog } from '../../../components/lazy-component.tsx';
import { RoleGate } from '../../../components/role-gate.tsx';

const CallNumberDialog = lazyDialog(() => import('./call-number-dialog.tsx'), 'CallNumberDialog');

/** A button that places one call and opens its page. */
export function CallNumber() {
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <RoleGate minimum="developer">
        <Button leftSection={<IconPhoneOutgoing size={16} aria-hidden />} onClick={open}>
          Call a number
        </Button>
      </RoleGate>
      {isOpen ? <CallNumberDialog onClose={close} /> : null}
    </>
  );
}
