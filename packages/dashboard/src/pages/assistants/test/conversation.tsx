import { Box, Collapse, Group, Loader, Paper, Stack, Text, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconChevronDown, IconTool } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { JsonView } from '../../../components/json/json-view.tsx';
import { StatusPill } from '../../calls/status-pill.tsx';
import styles from './conversation.module.css';
import type { Entry, RunningTool } from './test-session.ts';

type ToolUse = Extract<Entry, { role: 'tool' }>;

type Props = { entries: readonly Entry[]; running: readonly RunningTool[]; isWaiting: boolean };

/** What was said and done so far; the newest is in sight. */
export function Conversation({ entries, running, isWaiting }: Props) {
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (entries.length > 0 || isWaiting) end.current?.scrollIntoView({ block: 'nearest' });
  }, [entries, running, isWaiting]);
  return (
    <div className={styles.conversation} role="log" aria-label="Conversation" aria-live="polite">
      {entries.map((entry) =>
        entry.role === 'tool' ? (
          <ToolCard key={entry.key} use={entry} />
        ) : (
          <Line key={entry.key} entry={entry} />
        ),
      )}
      {running.map((use) => (
        <RunningCard key={use.tool_call_id} use={use} />
      ))}
      {isWaiting && running.length === 0 && (
        <Group gap={6} className={styles.waiting}>
          <Loader size={14} type="dots" />
          <Text size="xs" c="dimmed">
            The assistant is thinking
          </Text>
        </Group>
      )}
      <div ref={end} />
    </div>
  );
}

function Line({ entry }: { entry: Exclude<Entry, { role: 'tool' }> }) {
  return (
    <div className={styles.line} data-role={entry.role}>
      <span className="visually-hidden">{entry.role === 'user' ? 'You: ' : 'Assistant: '}</span>
      <div className={styles.bubble}>{entry.content}</div>
      {entry.role === 'agent' && (
        <Text size="xs" c="dimmed" className="numeric">
          {ms(entry.latency_ms)} to the first words
          {entry.duration_ms > entry.latency_ms ? ` · ${ms(entry.duration_ms)} in all` : ''}
        </Text>
      )}
    </div>
  );
}

function RunningCard({ use }: { use: RunningTool }) {
  return (
    <Paper withBorder radius="md" className={styles.tool}>
      <div className={styles.toolHead}>
        <IconTool size={16} />
        <Text size="sm" fw={600} className="truncate" title={use.tool_name}>
          {use.tool_name}
        </Text>
        <StatusPill tone="live">running</StatusPill>
      </div>
      <Text size="xs" c="dimmed" px="sm" pb={8} lineClamp={2}>
        {JSON.stringify(use.arguments ?? {})}
      </Text>
    </Paper>
  );
}

function ToolCard({ use }: { use: ToolUse }) {
  const [isOpen, { toggle }] = useDisclosure();
  const failed = use.error !== null;
  return (
    <Paper withBorder radius="md" className={styles.tool}>
      <UnstyledButton onClick={toggle} aria-expanded={isOpen} className={styles.toolHead}>
        <IconTool size={16} />
        <Text size="sm" fw={600} className="truncate">
          {use.tool_name}
        </Text>
        <StatusPill tone={failed ? 'bad' : 'good'}>
          {failed ? 'failed' : use.simulated === null ? 'done' : 'simulated'}
        </StatusPill>
        <Text size="xs" c="dimmed" className="numeric" ml="auto" style={{ whiteSpace: 'nowrap' }}>
          {failed && use.status_code !== null ? `HTTP ${use.status_code} · ` : ''}
          {ms(use.duration_ms)}
        </Text>
        <IconChevronDown size={14} style={{ rotate: isOpen ? '180deg' : undefined }} />
      </UnstyledButton>
      <Text size="xs" c={failed ? 'var(--bad)' : 'dimmed'} px="sm" pb={8} lineClamp={isOpen ? undefined : 2}>
        {summaryOf(use)}
      </Text>
      <Collapse expanded={isOpen}>
        {isOpen && (
          <Stack gap="xs" px="sm" pb="sm">
            <Detail label="Arguments" value={use.arguments} />
            {use.documents && <Detail label="Passages" value={use.documents} />}
            <Detail label="Result" value={use.error ?? use.result} />
          </Stack>
        )}
      </Collapse>
    </Paper>
  );
}

function Detail({ label, value }: { label: string; value: unknown }) {
  return (
    <Box>
      <Text size="xs" fw={500} mb={2}>
        {label}
      </Text>
      <JsonView value={value} label={label} maxHeight={220} />
    </Box>
  );
}

function summaryOf({ simulated, error, arguments: args, documents }: ToolUse): string {
  if (error !== null) return error;
  if (simulated !== null) return `${simulated}. Nothing was done in this test.`;
  if (documents) return documents.length === 1 ? '1 passage found' : `${documents.length} passages found`;
  return JSON.stringify(args ?? {});
}

function ms(value: number): string {
  return value < 1000 ? `${value} ms` : `${(value / 1000).toFixed(1)} s`;
}
