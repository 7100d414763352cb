import { Button, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconSend, IconWebhook } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../app/client.ts';
import { DataList } from '../../components/data-list/data-list.tsx';
import { useList } from '../../components/data-list/use-list.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { lazyDialog } from '../../components/lazy-component.tsx';
import { Page } from '../../components/page.tsx';
import { RoleGate } from '../../components/role-gate.tsx';
import { endpointColumns } from './endpoint-columns.tsx';
import { FailedEvents, useFailedEvents } from './failed-events.tsx';
import { SigningSecret } from './signing-secret.tsx';
import { VerifyGuide } from './verify-guide.tsx';

const TestDialog = lazyDialog(() => import('./test-dialog.tsx'), 'TestDialog');

export function WebhooksPage() {
  const list = useList({
    queryKey: ['webhook-endpoints'],
    request: (offset = 0, signal) => api.webhookEndpoints.list({ offset, limit: 50 }, { signal }),
  });
  const failed = useFailedEvents();
  const [isTesting, test] = useDisclosure();
  const [url, setUrl] = useState('');
  const startTest = (target: string) => {
    setUrl(target);
    test.open();
  };
  const [columns] = useState(() => endpointColumns(startTest));
  return (
    <Page
      title="Webhooks"
      description="Events of calls are sent to the webhook URL of their assistant: when a call is answered, when it ends, and when it is analyzed."
      actions={
        <RoleGate minimum="developer">
          <Button leftSection={<IconSend size={16} />} onClick={() => startTest('')}>
            Send a test
          </Button>
        </RoleGate>
      }
    >
      <DataList
        label="Endpoints"
        list={list}
        columns={columns}
        itemKey={({ url: key }) => key}
        fixedColumns
        empty={
          <EmptyState
            icon={<IconWebhook size={22} />}
            title="No webhook URL yet"
            actions={
              <Group gap="xs">
                <Button component={Link} to="/assistants">
                  Choose an assistant
                </Button>
                <RoleGate minimum="developer">
                  <Button variant="default" onClick={() => startTest('')}>
                    Test a URL first
                  </Button>
                </RoleGate>
              </Group>
            }
          >
            Set the webhook URL in the settings of an assistant. Every URL then appears here with its success
            rate, its errors and what is waiting for it. What was sent for one call is on the page of that
            call.
          </EmptyState>
        }
      />
      {/* Both lists decide where the rest is. */}
      {list.isLoading || failed.isLoading ? null : (
        <>
          <FailedEvents list={failed} isShownEmpty={list.items.length > 0} />
          <VerifyGuide />
          <SigningSecret />
        </>
      )}
      {isTesting ? <TestDialog onClose={test.close} url={url} /> : null}
    </Page>
  );
}
