import { ActionIcon, Alert, Button, Group, SegmentedControl, Stack, Text, Textarea } from '@mantine/core';
import { IconRefresh, IconSend, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, Suspense, useRef, useState } from 'react';
import { ErrorNote } from '../../../components/error-note.tsx';
import { lazyComponent } from '../../../components/lazy-component.tsx';
import { useRole } from '../../../components/role-gate.tsx';
import { Tooltip } from '../../../components/tooltip.tsx';
import { DraftNote } from '../../../drafts/draft-note.tsx';
import { useDraft } from '../../../drafts/use-draft.ts';
import { variablesOf } from '../editor/prompt-section.tsx';
import { type Assistant, type Draft, testDraftName } from '../model/draft.ts';
import { voicesQuery } from '../queries.ts';
import { useBrowserVoice } from './browser-voice.ts';
import { BrowserVoice } from './browser-voice-bar.tsx';
import { Conversation } from './conversation.tsx';
import styles from './test-pane.module.css';
import { type TestOptions, type TestSession, useTestSession } from './test-session.ts';
import { VariablesForm } from './variables-form.tsx';

const VoiceCall = lazyComponent(() => import('./voice-call.tsx'), 'VoiceCall');

type Props = { base: Assistant; draft: Draft; isDirty: boolean; onClose(): void };

type Inputs = {
  variables: Record<string, string>;
  callType: TestOptions['callType'];
  /** The line that is being typed. */
  message: string;
};

const NO_INPUTS: Inputs = { variables: {}, callType: 'web', message: '' };

/** The field of a placeholder is there without a value too; that of a name that was added by hand is not. */
function withoutEmptied(values: Inputs['variables'], placeholders: readonly string[]): Inputs['variables'] {
  const kept = Object.entries(values).filter(([name, value]) => value !== '' || !placeholders.includes(name));
  return Object.fromEntries(kept);
}

/** Talks to the assistant as it is in the editor, beside it. */
export function TestPane({ base, draft, isDirty, onClose }: Props) {
  const [mode, setMode] = useState<'text' | 'voice'>('text');
  const inputs = useDraft(testDraftName(base.id), NO_INPUTS);
  const { variables, callType, message } = inputs.value;
  const { data: voices } = useQuery(voicesQuery);
  const hasSpeech = voices?.some(({ available }) => available) ?? false;
  const { isAllowed, reason } = useRole('developer');
  const names = variablesOf(draft.config);
  const filled = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''));
  const isServerVoice = mode === 'voice' && hasSpeech;
  // Here, so that a conversation by text goes on after one by voice.
  const test = useTextTest({ base, draft, variables: filled, callType }, mode === 'voice' && !hasSpeech);
  const hasStarted = test.session.phase !== 'idle';
  return (
    <aside className={styles.pane} aria-label="Test">
      <Group justify="space-between" p="sm" className={styles.head} wrap="nowrap">
        <SegmentedControl
          size="xs"
          aria-label="Talk by"
          value={mode}
          onChange={(value) => setMode(value === 'voice' ? 'voice' : 'text')}
          data={[
            { value: 'text', label: 'Text' },
            { value: 'voice', label: 'Voice' },
          ]}
        />
        <Text size="xs" c="dimmed" ml="auto">
          {isServerVoice ? 'Saved version' : isDirty ? 'Your unsaved draft' : 'This version'}
        </Text>
        <ActionIcon aria-label="Close the test" onClick={onClose}>
          <IconX size={18} />
        </ActionIcon>
      </Group>
      <div className={styles.variables} data-started={hasStarted || undefined}>
        <DraftNote draft={inputs} mb="md" />
        <VariablesForm
          names={names}
          values={variables}
          onChange={(values) => inputs.change({ variables: withoutEmptied(values, names) })}
          callType={callType}
          onCallType={(type) => inputs.change({ callType: type })}
          isFolded={hasStarted}
        />
      </div>
      {!isAllowed ? (
        <Alert color="gray" m="md">
          {reason}: a test really calls the tools of the assistant.
        </Alert>
      ) : isServerVoice ? (
        <Suspense>
          <VoiceCall agentId={base.id} variables={filled} isDirty={isDirty} />
        </Suspense>
      ) : (
        <TextTest
          test={test}
          draft={draft}
          withVoice={mode === 'voice'}
          onText={() => setMode('text')}
          message={message}
          onMessage={(typed) => inputs.change({ message: typed })}
        />
      )}
    </aside>
  );
}

/** A conversation by text; with the browser's own voice around it where the platform has none. */
function useTextTest(options: Omit<TestOptions, 'onSpoken'>, withVoice: boolean) {
  const speak = useRef<(text: string) => void>(undefined);
  const session = useTestSession({ ...options, onSpoken: (text) => speak.current?.(text) });
  const { language } = options.draft.config;
  const voice = useBrowserVoice({
    language: typeof language === 'string' ? language : 'en-US',
    isTurn: session.phase === 'open',
    onHeard: (text) => void session.send(text),
  });
  speak.current = withVoice && voice.isOn ? voice.speak : undefined;
  return { session, voice };
}

type TextTestProps = {
  test: ReturnType<typeof useTextTest>;
  draft: Draft;
  withVoice: boolean;
  onText(): void;
  message: string;
  onMessage(typed: string): void;
};

function TextTest({ test: { session, voice }, draft, withVoice, onText, message, onMessage }: TextTestProps) {
  const isStale = session.spokenWith !== null && session.spokenWith !== draft && session.phase !== 'idle';
  return (
    <>
      {withVoice && (
        <BrowserVoice
          voice={voice}
          onStart={() => (session.phase === 'idle' ? session.start() : Promise.resolve())}
          onText={onText}
        />
      )}
      <div className={styles.scroll}>
        {session.phase === 'idle' ? (
          <Idle onStart={() => void session.start()} withVoice={withVoice} />
        ) : (
          <Conversation
            entries={session.entries}
            running={session.running}
            isWaiting={session.phase === 'waiting'}
          />
        )}
      </div>
      <Notes session={session} isStale={isStale} />
      <Composer session={session} text={message} onType={onMessage} />
    </>
  );
}

function Idle({ onStart, withVoice }: { onStart(): void; withVoice: boolean }) {
  if (withVoice) return null;
  return (
    <Stack align="center" gap="sm" p="xl" ta="center">
      <Text size="sm" c="dimmed" maw={300}>
        Talk to the assistant as it is in the editor now. No call is placed and nothing is stored; its custom
        tools are really called, marked as a test.
      </Text>
      <Button onClick={onStart}>Start the conversation</Button>
    </Stack>
  );
}

function Notes({ session, isStale }: { session: TestSession; isStale: boolean }) {
  const { endedBy, unresolved, isTimedOut, error, phase } = session;
  return (
    <Stack gap={6} px="sm">
      {unresolved.length > 0 && (
        <Text size="xs" c="var(--warn)">
          Without a value, and so empty: {unresolved.join(', ')}
        </Text>
      )}
      {isTimedOut && (
        <Text size="xs" c="var(--warn)">
          The turn was cut off after 60 seconds.
        </Text>
      )}
      {isStale && phase !== 'waiting' && (
        <Text size="xs" c="dimmed">
          You have changed the assistant since: the next turn uses it as it is now. Restart to begin anew.
        </Text>
      )}
      {session.isFull && phase === 'open' && (
        <Alert color="yellow" title="This conversation is as long as a test can be" role="status">
          <Stack gap="xs" align="flex-start">
            What you have typed stays, for a new one.
            <Button size="xs" onClick={() => void session.start()}>
              Begin a new conversation
            </Button>
          </Stack>
        </Alert>
      )}
      {error !== undefined && <ErrorNote error={error} onRetry={() => void session.repeat()} />}
      {phase === 'ended' && (
        <Text size="sm" fw={500} role="status">
          The conversation is over: {endedBy}
        </Text>
      )}
    </Stack>
  );
}

type ComposerProps = { session: TestSession; text: string; onType(text: string): void };

function Composer({ session, text, onType }: ComposerProps) {
  const { phase, start, send, durationMs, isFull } = session;
  const canSend = phase === 'open' && !isFull && text.trim() !== '';
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    if (!canSend) return;
    void send(text.trim());
    onType('');
  };
  if (phase === 'idle') return null;
  return (
    <form onSubmit={submit} className={styles.composer}>
      <Textarea
        aria-label="What you say"
        placeholder={phase === 'ended' ? 'The conversation is over' : 'Say something'}
        autosize
        minRows={1}
        maxRows={5}
        maxLength={5000}
        value={text}
        disabled={phase === 'ended'}
        onChange={(event) => onType(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          submit();
        }}
        style={{ flex: 1 }}
      />
      <Tooltip label="Send (Enter)">
        <ActionIcon
          type="submit"
          variant="filled"
          color="iris"
          size={36}
          aria-label="Send"
          disabled={!canSend}
        >
          <IconSend size={18} />
        </ActionIcon>
      </Tooltip>
      <Tooltip label={durationMs === null ? 'Restart' : `Restart (the last turn took ${durationMs} ms)`}>
        <ActionIcon
          variant="default"
          size={36}
          aria-label="Restart the conversation"
          onClick={() => void start()}
        >
          <IconRefresh size={18} />
        </ActionIcon>
      </Tooltip>
    </form>
  );
}
