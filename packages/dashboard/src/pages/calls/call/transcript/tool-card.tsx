import { Group, Text, UnstyledButton } from '@mantine/core';
import type { TimelineEntry } from '@parley/contracts';
import { IconAlertTriangle, IconChevronRight, IconTool } from '@tabler/icons-react';
import { useId, useState } from 'react';
import { JsonView } from '../../../../components/json/json-view.tsx';
import { StatusPill } from '../../status-pill.tsx';
import styles from './tool-card.module.css';
import '../../tokens.css';

type Tool = Extract<TimelineEntry, { type: 'tool' }>;

type Props = {
  tool: Tool;
  /** Where it is known. */
  durationMs?: number | undefined;
};

/** A tool execution: one line that opens to its arguments and its result. */
export function ToolCard({ tool, durationMs }: Props) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const { tool_name, tool_type, args, result, error, status_code, slow } = tool;
  return (
    <div className={styles.card} data-failed={error !== null || undefined}>
      <UnstyledButton
        className={styles.head}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        <IconChevronRight size={14} className={styles.chevron} data-open={isOpen || undefined} aria-hidden />
        {error === null ? <IconTool size={16} aria-hidden /> : <IconAlertTriangle size={16} aria-hidden />}
        <span className={styles.name}>{tool_name}</span>
        <span className={styles.summary}>{isOpen ? '' : oneLine(error ?? result)}</span>
        {slow && <StatusPill tone="warn">slow</StatusPill>}
        {status_code !== null && <span className={styles.status}>{status_code}</span>}
        {durationMs !== undefined && <span className={styles.status}>{durationMs} ms</span>}
      </UnstyledButton>
      {isOpen ? (
        <div className={styles.body} id={id}>
          <Json title="Arguments" value={args} />
          {error === null ? (
            <Json title="Result" value={result} />
          ) : (
            <>
              <Text size="xs" fw={600} mt="xs">
                Error
              </Text>
              <Text size="sm" className={styles.error}>
                {error}
              </Text>
              {result !== null && result !== undefined && <Json title="Result" value={result} />}
            </>
          )}
          <Group gap="xs" mt="xs">
            <Text size="xs" c="dimmed">
              {TYPES[tool_type] ?? tool_type}
            </Text>
          </Group>
        </div>
      ) : null}
    </div>
  );
}

const TYPES: Readonly<Record<string, string>> = {
  custom: 'Custom tool',
  native: 'Built-in tool',
  knowledge_base: 'Knowledge base',
};

function Json({ title, value }: { title: string; value: unknown }) {
  return (
    <>
      <Text size="xs" fw={600} mt="xs" mb={4}>
        {title}
      </Text>
      <JsonView value={value ?? null} label={title} maxHeight={320} />
    </>
  );
}

const SUMMARY = 160;

function oneLine(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.length > SUMMARY ? `${text.slice(0, SUMMARY)}…` : text;
}
