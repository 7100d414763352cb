import { Alert, Button, Group, Progress, Stack, Text } from '@mantine/core';
import { type Call, CallError, type CallState, joinCall, type Tool, type Turn } from '@parley/web';
import { IconMicrophone, IconMicrophoneOff, IconPhoneOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { api } from '../../../app/client.ts';
import { describeError } from '../../../app/describe-error.ts';
import { TextLink } from '../../../components/text-link.tsx';
import { ToolCard } from '../../calls/call/transcript/tool-card.tsx';
import { StatusPill } from '../../calls/status-pill.tsx';
import styles from './conversation.module.css';
import { linesOf, type TimedTool, type VoiceLine } from './voice-lines.ts';

type Props = { agentId: string; variables: Readonly<Record<string, string>>; isDirty: boolean };
type Live = {
  id: string;
  state: CallState;
  turns: readonly Turn[];
  tools: readonly TimedTool[];
  muted: boolean;
  reason: string | null;
};

/** A real web call with the saved version, through the same SDK that visitors of a web site have. */
export function VoiceCall({ agentId, variables, isDirty }: Props) {
  const call = useRef<Call>(undefined);
  const [live, setLive] = useState<Live | null>(null);
  const [problem, setProblem] = useState<string>();
  const [volume, setVolume] = useState({ input: 0, output: 0 });
  const [isStarting, setStarting] = useState(false);
  const isClosed = useRef(false);
  useEffect(() => {
    isClosed.current = false;
    return () => {
      isClosed.current = true;
      void call.current?.end();
    };
  }, []);

  const update = (change: Partial<Live>) => setLive((now) => (now ? { ...now, ...change } : now));
  const start = async () => {
    setProblem(undefined);
    setStarting(true);
    try {
      const { access_token: accessToken } = await api.calls.createWeb({
        agent_id: agentId,
        dynamic_variables: variables,
      });
      if (isClosed.current) return;
      const joined = await joinCall({ baseUrl: window.location.origin, accessToken });
      // The pane was closed while the call was being joined: nobody could hang up.
      if (isClosed.current) {
        await joined.end();
        return;
      }
      call.current = joined;
      setLive({ id: joined.id, state: joined.state, turns: [], tools: [], muted: false, reason: null });
      joined.on('state', (state) => update({ state }));
      joined.on('transcript', () => update({ turns: [...joined.transcript] }));
      joined.on('tool', (tool) => setLive((now) => now && { ...now, tools: withTool(now.tools, tool) }));
      joined.on('volume', setVolume);
      joined.on('error', (error) => setProblem(error.message));
      joined.on('end', ({ reason }) => update({ state: 'ended', reason }));
    } catch (error) {
      setProblem(error instanceof CallError ? error.message : describeError(error).message);
    } finally {
      setStarting(false);
    }
  };
  const isOver = live === null || live.state === 'ended';
  return (
    <Stack gap="sm" p="md">
      {isOver && (
        <Text size="sm" c="dimmed">
          A web call with the saved version, as visitors of a web site have it. It is listed under Calls, and
          costs what a call costs.
          {isDirty ? ' Your unsaved changes are not part of it.' : ''}
        </Text>
      )}
      {problem && (
        <Alert color="red" role="alert">
          {problem}
        </Alert>
      )}
      {isOver ? (
        <Button leftSection={<IconMicrophone size={16} />} loading={isStarting} onClick={() => void start()}>
          {live ? 'Talk again' : 'Start talking'}
        </Button>
      ) : (
        <Controls
          live={live}
          volume={volume}
          onMute={() => {
            call.current?.mute(!live.muted);
            update({ muted: !live.muted });
          }}
          onEnd={() => void call.current?.end()}
        />
      )}
      {live && <Transcript live={live} />}
      {live?.state === 'ended' && (
        <Text size="sm">
          The call is over{live.reason ? ` (${live.reason})` : ''}.{' '}
          <TextLink to={`/calls/${live.id}` as never}>Open the call</TextLink>
        </Text>
      )}
    </Stack>
  );
}

type ControlsProps = { live: Live; volume: { input: number; output: number }; onMute(): void; onEnd(): void };

function Controls({ live, volume, onMute, onEnd }: ControlsProps) {
  return (
    <>
      <Group justify="space-between">
        <Text size="sm" role="status">
          {STATES[live.state]}
        </Text>
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            leftSection={live.muted ? <IconMicrophoneOff size={14} /> : <IconMicrophone size={14} />}
            onClick={onMute}
            aria-pressed={live.muted}
          >
            {live.muted ? 'Muted' : 'Mute'}
          </Button>
          <Button size="xs" color="red.9" leftSection={<IconPhoneOff size={14} />} onClick={onEnd}>
            Hang up
          </Button>
        </Group>
      </Group>
      <Progress value={volume.input * 100} size="xs" aria-label="Your microphone" />
      <Progress value={volume.output * 100} size="xs" color="teal" aria-label="The assistant" />
    </>
  );
}

const STATES: Readonly<Record<CallState, string>> = {
  connecting: 'Connecting …',
  active: 'Speak now',
  reconnecting: 'The connection was lost: reconnecting …',
  ended: 'Over',
};

/** The stored timeline is behind the connection by this, at most. */
const TIMELINE_MS = 1_000;

function Transcript({ live: { id, state, turns, tools } }: { live: Live }) {
  const isOver = state === 'ended';
  const timeline = useQuery({
    queryKey: ['call', id, 'timeline'],
    meta: { only: id },
    queryFn: ({ signal }) => api.calls.timeline(id, { signal }),
    refetchInterval: isOver ? false : TIMELINE_MS,
  });
  const { refetch } = timeline;
  useEffect(() => {
    if (isOver) void refetch();
  }, [isOver, refetch]);
  return (
    <div className={styles.conversation} role="log" aria-label="Transcript" aria-live="polite">
      {linesOf(timeline.data ?? [], turns, tools).map((line) => (
        <Line key={line.key} line={line} />
      ))}
    </div>
  );
}

function Line({ line }: { line: VoiceLine }) {
  if (line.kind === 'used') return <ToolCard tool={line.entry} durationMs={line.durationMs} />;
  if (line.kind === 'using')
    return (
      <Group gap="xs">
        <Text size="sm" fw={600}>
          {line.tool.name}
        </Text>
        <StatusPill tone={TONES[line.tool.status]}>{line.tool.status}</StatusPill>
      </Group>
    );
  return (
    <div className={styles.line} data-role={line.role}>
      <div className={styles.bubble}>{line.text}</div>
      {line.latencyMs === undefined ? null : (
        <Text size="xs" c="dimmed" className="numeric">
          answered after {Math.round(line.latencyMs)} ms
        </Text>
      )}
    </div>
  );
}

const TONES = { running: 'live', done: 'good', failed: 'bad' } as const;

function withTool(tools: readonly TimedTool[], tool: Tool): TimedTool[] {
  const nowMs = performance.now();
  const { startedMs = nowMs } = tools.find(({ id }) => id === tool.id) ?? {};
  const timed = { ...tool, startedMs, ...(tool.status === 'running' ? {} : { endedMs: nowMs }) };
  return [...tools.filter(({ id }) => id !== tool.id), timed];
}
