import { Button } from '@mantine/core';
import { IconCloudDownload, IconPlugConnected, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { Actions } from '../../components/actions.tsx';
import { lazyDialog } from '../../components/lazy-component.tsx';
import { RoleGate, useRole } from '../../components/role-gate.tsx';
import type { Way } from './connect-number-form.ts';

const ConnectNumberDrawer = lazyDialog(() => import('./connect-number-drawer.tsx'), 'ConnectNumberDrawer');

/** A button that connects a number: by a SIP trunk, or from an account at a carrier. */
export function ConnectNumber({ onConnected }: { onConnected(id: string): void }) {
  const [way, setWay] = useState<Way | null>(null);
  const { isAllowed } = useRole('developer');
  return (
    <>
      {isAllowed ? (
        <Actions
          button={<Button leftSection={<IconPlus size={16} />}>Add number</Button>}
          actions={[
            {
              label: 'Connect by SIP trunk',
              icon: <IconPlugConnected size={16} />,
              onClick: () => setWay('sip'),
            },
            {
              label: 'Import from a carrier account',
              icon: <IconCloudDownload size={16} />,
              onClick: () => setWay('telco'),
            },
          ]}
        />
      ) : (
        <RoleGate minimum="developer">
          <Button leftSection={<IconPlus size={16} />}>Add number</Button>
        </RoleGate>
      )}
      {way ? <ConnectNumberDrawer way={way} onClose={() => setWay(null)} onConnected={onConnected} /> : null}
    </>
  );
}
