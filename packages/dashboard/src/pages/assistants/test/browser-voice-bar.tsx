import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { IconKeyboard, IconMicrophone, IconPlayerStop } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { canRecognize, type useBrowserVoice } from './browser-voice.ts';

type Props = {
  voice: ReturnType<typeof useBrowserVoice>;
  onStart(): Promise<void>;
  /** Goes on with the same conversation by text. */
  onText(): void;
};

/** Begins and ends a conversation by the browser's own voice, and says whose voice that is. */
export function BrowserVoice({ voice, onStart, onText }: Props) {
  if (!canRecognize())
    return (
      <NoRecognition title="This browser has no speech recognition" onText={onText}>
        No speech provider is configured on the server, and this browser cannot recognize speech itself.
        Chrome, Edge and Safari can.
      </NoRecognition>
    );
  if (voice.problem)
    return (
      <NoRecognition title="Talking does not work here" onText={onText} onRetry={voice.start}>
        {voice.problem}. No speech provider is configured on the server, so the browser would have to do it.
      </NoRecognition>
    );
  return (
    <Stack gap={6} p="sm">
      <Group gap="xs">
        {voice.isOn ? (
          <Button
            size="xs"
            color="red"
            variant="light"
            leftSection={<IconPlayerStop size={14} />}
            onClick={voice.stop}
          >
            Stop
          </Button>
        ) : (
          <Button
            size="xs"
            leftSection={<IconMicrophone size={14} />}
            onClick={() => {
              voice.start();
              void onStart();
            }}
          >
            Talk
          </Button>
        )}
        <Text size="xs" role="status">
          {voice.isOn ? stateOf(voice) : ''}
        </Text>
      </Group>
      <Text size="xs" c="dimmed">
        The voice of your browser, not that of calls: no speech provider is configured on the server. Some
        browsers send what you say to their maker for recognition.
      </Text>
      {voice.isMute ? (
        <Text size="xs" c="var(--warn)">
          This browser has no voice to read out what the assistant says: read it here.
        </Text>
      ) : null}
    </Stack>
  );
}

function stateOf({ isSpeaking, isTurn, interim }: Props['voice']): string {
  if (isSpeaking) return 'The assistant speaks';
  return isTurn ? interim || 'Listening …' : 'One moment …';
}

type NoRecognitionProps = { title: string; children: ReactNode; onText(): void; onRetry?: () => void };

function NoRecognition({ title, children, onText, onRetry }: NoRecognitionProps) {
  return (
    <Alert color="yellow" m="sm" title={title} role="alert">
      {children}
      <Group gap="xs" mt="sm">
        <Button size="xs" leftSection={<IconKeyboard size={14} />} onClick={onText}>
          Go on by text
        </Button>
        {onRetry ? (
          <Button size="xs" variant="default" onClick={onRetry}>
            Try again
          </Button>
        ) : null}
      </Group>
    </Alert>
  );
}
