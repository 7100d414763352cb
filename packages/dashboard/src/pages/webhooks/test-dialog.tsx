import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { api } from '../../app/client.ts';
import { Modal } from '../../components/dialog.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { Form } from '../../components/form.tsx';
import { JsonView } from '../../components/json/json-view.tsx';
import { StatusDot } from '../../components/status-dot.tsx';
import { DraftNote } from '../../drafts/draft-note.tsx';
import { useDraft } from '../../drafts/use-draft.ts';
import { errorText } from './endpoint-columns.tsx';

type Props = { onClose: () => void; url: string };

/** Sends one signed `test` event and shows what was sent and what came back. */
export function TestDialog({ onClose, url: given }: Props) {
  // A draft of its own for each endpoint: what was typed for another is not what is tested here.
  const draft = useDraft(`webhooks/test/${given}`, { url: given });
  const { url } = draft.value;
  const send = useMutation({ mutationFn: () => api.webhookEndpoints.test({ url: url.trim() }) });
  const close = () => {
    if (send.isSuccess) draft.discard();
    onClose();
  };
  return (
    <Modal opened onClose={close} title="Send a test" size="lg">
      <Form onSubmit={() => send.mutate()}>
        <Stack>
          <Text size="sm" c="dimmed">
            Sends one event of the type <code>test</code>, signed like any other. Nothing is stored or
            repeated.
          </Text>
          <DraftNote draft={draft} />
          <TextInput
            label="URL"
            type="url"
            required
            withAsterisk={false}
            placeholder="https://example.com/parley"
            value={url}
            onChange={(event) => draft.set({ url: event.currentTarget.value })}
            data-autofocus
          />
          {send.error ? <ErrorNote error={send.error} /> : null}
          {send.data ? <Result result={send.data} /> : null}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              Close
            </Button>
            <Button type="submit" loading={send.isPending}>
              {send.data ? 'Send again' : 'Send'}
            </Button>
          </Group>
        </Stack>
      </Form>
    </Modal>
  );
}

type Test = Awaited<ReturnType<typeof api.webhookEndpoints.test>>;

function Result({ result }: { result: Test }) {
  const { ok, duration_ms: duration, error, request, response } = result;
  return (
    <Stack gap="sm" role="status">
      <Text size="sm" fw={500}>
        <StatusDot tone={ok ? 'good' : 'bad'}>
          {ok ? 'Delivered' : 'Not delivered'}: {errorText(result)} after {duration} ms
        </StatusDot>
      </Text>
      {error ? <Text size="sm">{error}</Text> : null}
      <JsonView
        label="Request"
        value={{ headers: request.headers, body: parsed(request.body) }}
        maxHeight={220}
      />
      {response ? (
        <JsonView
          label="Response"
          value={{ headers: response.headers, body: parsed(response.body) }}
          maxHeight={220}
        />
      ) : null}
    </Stack>
  );
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
