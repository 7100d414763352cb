import { Button, Group, PasswordInput, Stack, Text } from '@mantine/core';
import { TextLink } from '../../../components/text-link.tsx';
import { useEditor } from './editor-context.ts';
import { TextField } from './fields.tsx';
import { Section } from './section.tsx';

/** Where events of this assistant's calls go. */
export function WebhookSection() {
  return (
    <Stack gap="xl">
      <Section
        title="Webhook"
        about={
          <>
            Receives call_started, call_ended and call_analyzed of this assistant's calls.{' '}
            <TextLink to="/webhooks" underline="always" inherit>
              How deliveries go, and how to verify them
            </TextLink>
          </>
        }
      >
        <TextField
          path="config.settings.webhookUrl"
          label="URL"
          placeholder="https://example.com/parley"
          description="https only. Empty: no events are sent."
          isOptional
        />
        <Secret />
      </Section>
    </Stack>
  );
}

function Secret() {
  const { base, draft, set, errors } = useEditor();
  const isStored = base.webhook_secret !== null;
  const typed = draft.webhook_secret;
  return (
    <Stack gap={6}>
      <PasswordInput
        data-path="webhook_secret"
        label="Signing secret of this assistant"
        description="Instead of the workspace's secret: whsec_ and 24 to 64 random bytes in base64. It is stored encrypted and never shown again."
        placeholder={isStored ? '•••••••• (stored)' : 'The workspace secret is used'}
        value={typed ?? ''}
        onChange={(event) => set('webhook_secret', event.currentTarget.value || undefined)}
        error={errors.webhook_secret}
        autoComplete="new-password"
      />
      <Group gap="xs">
        <Button variant="default" size="xs" onClick={() => set('webhook_secret', randomSecret())}>
          Generate
        </Button>
        {isStored && typed !== null && (
          <Button variant="default" size="xs" onClick={() => set('webhook_secret', null)}>
            Return to the workspace's secret
          </Button>
        )}
      </Group>
      {typed === null && (
        <Text size="sm" c="dimmed">
          When you save, the workspace's secret signs the events again.
        </Text>
      )}
    </Stack>
  );
}

function randomSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return `whsec_${btoa(String.fromCharCode(...bytes))}`;
}
