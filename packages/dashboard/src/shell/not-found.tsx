import { Button } from '@mantine/core';
import { IconMapOff } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { EmptyState } from '../components/empty-state.tsx';

export function NotFound() {
  return (
    <EmptyState
      icon={<IconMapOff size={22} />}
      title="There is no such page"
      actions={
        <Button component={Link} to="/" variant="default">
          Go to the start page
        </Button>
      }
    >
      The address may be misspelled, or what it leads to was deleted.
    </EmptyState>
  );
}
