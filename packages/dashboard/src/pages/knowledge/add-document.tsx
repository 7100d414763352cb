import { Button } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { useState } from 'react';
import { lazyDialog } from '../../components/lazy-component.tsx';
import { RoleGate } from '../../components/role-gate.tsx';

const AddDocumentDialog = lazyDialog(() => import('./add-document-dialog.tsx'), 'AddDocumentDialog');

type Props = { baseId: string; baseName: string; isSmall?: boolean };

/** A button that adds documents: a pasted text, or files that are read in the browser. */
export function AddDocument({ baseId, baseName, isSmall = false }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <RoleGate minimum="developer">
        <Button
          size={isSmall ? 'xs' : 'sm'}
          variant={isSmall ? 'default' : 'filled'}
          leftSection={<IconUpload size={16} />}
          onClick={() => setOpen(true)}
          aria-label={isSmall ? `Add documents to ${baseName}` : undefined}
        >
          {isSmall ? 'Add' : 'Add documents'}
        </Button>
      </RoleGate>
      {isOpen ? (
        <AddDocumentDialog baseId={baseId} baseName={baseName} onClose={() => setOpen(false)} />
      ) : null}
    </>
  );
}
