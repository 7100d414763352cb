import { Badge, Box, Group, Stack, Text } from '@mantine/core';
import { PromptField } from '../code/prompt-field.tsx';
import { brokenPlaceholders, placeholderNames } from '../model/placeholders.ts';
import { useEditor } from './editor-context.ts';

const PROMPT = 'config.systemPrompt';
const FIRST = 'config.firstMessage';

/** What the assistant says first and how it behaves. */
export function PromptSection() {
  const { get } = useEditor();
  const prompt = asText(get(PROMPT));
  return (
    <Stack gap="lg">
      <PromptBox
        path={FIRST}
        label="First message"
        about="What the assistant says when the call is answered. Empty: it waits on inbound calls, and greets by its prompt on outbound calls."
        placeholder="Hello {{contact_name}}, this is …"
        height={[44, 160]}
      />
      <PromptBox
        path={PROMPT}
        label="Prompt"
        about="Who the assistant is, what it has to do, and what it must not do. Write {{name}} for what differs from call to call."
        placeholder="You are …"
        height={[360, 640]}
        aside={`${prompt.length.toLocaleString('en')} of 100,000 characters`}
      />
      <Variables />
    </Stack>
  );
}

function PromptBox(props: {
  path: string;
  label: string;
  about: string;
  placeholder: string;
  /** At least and at most, in pixels. */
  height: readonly [number, number];
  aside?: string;
}) {
  const { get, set, errors, lockedBecause } = useEditor();
  const { path, label, about, placeholder, height, aside } = props;
  const value = asText(get(path));
  const error =
    errors[path] ??
    (brokenPlaceholders(value).length > 0
      ? 'Some braces are no complete {{placeholder}}: they would be read out'
      : undefined);
  return (
    <Box data-path={path}>
      <Group justify="space-between" align="baseline" wrap="nowrap">
        <Text fw={500} size="sm">
          {label}
        </Text>
        {aside && (
          <Text size="xs" c="dimmed">
            {aside}
          </Text>
        )}
      </Group>
      <Text size="xs" c="dimmed" mb={6}>
        {about}
      </Text>
      <PromptField
        label={label}
        value={value}
        onChange={(next) => set(path, next)}
        placeholder={placeholder}
        minHeight={height[0]}
        maxHeight={height[1]}
        readOnly={lockedBecause !== undefined}
      />
      {error && (
        <Text size="xs" c="var(--bad)" mt={4} role="status">
          {error}
        </Text>
      )}
    </Box>
  );
}

/** The names that a call has to bring along. */
function Variables() {
  const { draft } = useEditor();
  const names = variablesOf(draft.config);
  if (names.length === 0) return null;
  return (
    <Box>
      <Text size="sm" fw={500} mb={4}>
        Variables
      </Text>
      <Text size="xs" c="dimmed" mb={6}>
        A call brings their values: contacts of a campaign by their columns, single calls by
        dynamic_variables. Without a value a placeholder is empty.
      </Text>
      <Group gap={6}>
        {names.map((name) => (
          <Badge key={name} variant="light" tt="none" radius="sm">
            {name}
          </Badge>
        ))}
      </Group>
    </Box>
  );
}

/** Every placeholder that calls of this assistant fill in. */
export function variablesOf(config: Readonly<Record<string, unknown>>): string[] {
  const settings = config.settings as { voicemail?: { message?: unknown } } | undefined;
  return placeholderNames(
    asText(config.firstMessage),
    asText(config.systemPrompt),
    asText(settings?.voicemail?.message),
  );
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
