import { Alert, Button, Group, Loader, Select, Stack, Text } from '@mantine/core';
import { IconInfoCircle, IconPlayerPlay } from '@tabler/icons-react';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorNote } from '../../../components/error-note.tsx';
import { modelsQuery, transcribersQuery, type Voice, voicesQuery } from '../queries.ts';
import { useEditor } from './editor-context.ts';
import { ChoiceField, NumberField, TextField, WordsField } from './fields.tsx';
import { LANGUAGES, languageName } from './languages.ts';
import { Section } from './section.tsx';

/** Language, voice, speech recognition and model. */
export function VoiceSection() {
  return (
    <Stack gap="xl">
      <Section title="Language">
        <ChoiceField
          path="config.language"
          label="Language of the conversation"
          choices={LANGUAGES}
          isSearchable
        />
      </Section>
      <VoiceChoice />
      <Recognition />
      <ModelChoice />
    </Stack>
  );
}

/** What can be chosen could not be read: without this, the choice would only look empty. */
function ReadFailure({ query, what }: { query: UseQueryResult; what: string }) {
  if (!query.isError || query.data !== undefined) return null;
  return (
    <ErrorNote
      error={query.error}
      title={`The ${what} could not be read`}
      onRetry={() => void query.refetch()}
    />
  );
}

function VoiceChoice() {
  const { get, set, errors } = useEditor();
  const voices = useQuery(voicesQuery);
  const chosen = get('config.voice.voiceId');
  const list = voices.data ?? [];
  const voice = list.find(
    ({ voice_id, provider }) => voice_id === chosen && isOf(provider, get('config.voice.provider')),
  );
  const none = voices.isSuccess && !list.some(({ available }) => available);
  return (
    <Section title="Voice" about="The voices that this installation's speech providers offer.">
      <ReadFailure query={voices} what="voices" />
      {none && (
        <Alert color="yellow" icon={<IconInfoCircle size={18} />} title="Calls cannot be spoken yet">
          {whyNone(list)} Until then conversations work by text, and the test beside can use the voice of your
          browser.
        </Alert>
      )}
      <Group align="flex-end" gap="xs">
        <Select
          data-path="config.voice.voiceId"
          label="Voice"
          data={grouped(list)}
          value={voice ? keyOf(voice) : null}
          placeholder={placeholderOf(chosen, voices.isSuccess)}
          error={errors['config.voice.voiceId'] ?? errors['config.voice.provider']}
          onChange={(key) => {
            const found = list.find((item) => keyOf(item) === key);
            if (!found) return;
            const isUnique = list.filter(({ voice_id }) => voice_id === found.voice_id).length === 1;
            const speed = get('config.voice.speed');
            set('config.voice', {
              voiceId: found.voice_id,
              speed,
              ...(isUnique ? {} : { provider: found.provider }),
            });
          }}
          searchable
          allowDeselect={false}
          rightSection={voices.isPending ? <Loader size={14} /> : undefined}
          nothingFoundMessage="No voice of this name"
          w="100%"
          maw={480}
        />
        {voice?.preview_url && <Preview url={voice.preview_url} name={voice.voice_name} />}
      </Group>
      {voice && !voice.available && !none && (
        <Text size="sm" c="var(--warn)">
          {voice.provider} cannot speak at the moment: calls use the first provider that can.
        </Text>
      )}
      <NumberField
        path="config.voice.speed"
        label="Speed"
        description="1 is the voice's own pace."
        min={0.5}
        max={2}
        step={0.05}
        decimals={2}
        suffix="×"
      />
    </Section>
  );
}

function placeholderOf(chosen: unknown, isKnown: boolean): string {
  if (typeof chosen !== 'string') return 'Choose a voice';
  return isKnown ? `${chosen} (not offered any more)` : chosen;
}

function whyNone(voices: readonly Voice[]): string {
  if (voices.length === 0) return 'The operator has configured no speech provider (SPEECH_PROVIDERS).';
  const providers = [...new Set(voices.map(({ provider }) => provider))].join(', ');
  return `The voices of ${providers} are known, but this provider cannot speak now: its program or key is missing on the server (SPEECH_PROVIDERS).`;
}

function isOf(provider: string, chosen: unknown): boolean {
  return typeof chosen !== 'string' || chosen === provider;
}

function keyOf({ provider, voice_id }: Voice): string {
  return `${provider}/${voice_id}`;
}

function grouped(voices: readonly Voice[]) {
  const providers = [...new Set(voices.map(({ provider }) => provider))];
  return providers.map((group) => ({
    group,
    items: voices
      .filter(({ provider }) => provider === group)
      .map((voice) => ({
        value: keyOf(voice),
        label: `${voice.voice_name} · ${voice.gender} · ${languageName(voice.language)}${voice.available ? '' : ' · cannot speak now'}`,
      })),
  }));
}

function Preview({ url, name }: { url: string; name: string }) {
  const [failed, setFailed] = useState(false);
  return (
    <Button
      variant="default"
      leftSection={<IconPlayerPlay size={16} />}
      onClick={() => new Audio(url).play().catch(() => setFailed(true))}
      aria-label={`Listen to ${name}`}
    >
      {failed ? 'No sample' : 'Listen'}
    </Button>
  );
}

function Recognition() {
  const transcribers = useQuery(transcribersQuery);
  const choices = (transcribers.data ?? []).map(({ provider, available }) => ({
    value: provider,
    label: available ? provider : `${provider} (not available now)`,
  }));
  const { get, set } = useEditor();
  const chosen = get('config.transcriber.provider');
  return (
    <Section title="Speech recognition" about="How the human is understood.">
      <ReadFailure query={transcribers} what="providers of speech recognition" />
      <Select
        data-path="config.transcriber.provider"
        label="Provider"
        data={[{ value: '', label: 'Preferred by the operator' }, ...choices]}
        value={typeof chosen === 'string' ? chosen : ''}
        onChange={(value) => set('config.transcriber.provider', value || undefined)}
        allowDeselect={false}
        maw={480}
      />
      {typeof chosen === 'string' && (
        <TextField
          path="config.transcriber.model"
          label="Model"
          description="Empty: the provider's own choice."
          isOptional
        />
      )}
      <WordsField
        path="config.transcriber.keywords"
        label="Words that are likely to be said"
        description="Names of products and people, up to 100. Values of the contact's variables are added to them."
      />
    </Section>
  );
}

function ModelChoice() {
  const { get } = useEditor();
  const models = useQuery(modelsQuery);
  const data = models.data ?? [];
  const provider = get('config.model.provider');
  const model = data.find((item) => item.provider === provider);
  const choices = data.map((item) => ({
    value: item.provider,
    label: `${item.provider}${item.is_live ? ' · live: listens and speaks itself' : ''}`,
  }));
  const names = model?.names ?? [];
  return (
    <Section
      title="Model"
      about={
        provider === 'builtin'
          ? 'The built-in model follows simple rules and needs no account: good for a first try and for tests.'
          : undefined
      }
    >
      <ReadFailure query={models} what="models" />
      <ChoiceField path="config.model.provider" label="Provider" choices={choices} />
      {names.length > 0 ? (
        <ChoiceField
          path="config.model.name"
          label="Model"
          choices={names.map((name) => ({ value: name, label: name }))}
        />
      ) : (
        <TextField path="config.model.name" label="Model" description="As the provider calls it." />
      )}
      <NumberField
        path="config.model.temperature"
        label="Temperature"
        description="0 answers the same way each time; higher varies more."
        min={0}
        max={2}
        step={0.1}
        decimals={2}
      />
    </Section>
  );
}
