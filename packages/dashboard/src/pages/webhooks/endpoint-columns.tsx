import { Anchor, Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { api } from '../../app/client.ts';
import { formatCount, formatShare, plural } from '../../app/format-number.ts';
import type { Column } from '../../components/data-list/column.ts';
import { RoleGate } from '../../components/role-gate.tsx';
import { StatusDot } from '../../components/status-dot.tsx';
import { Time } from '../../components/time.tsx';
import { Tooltip } from '../../components/tooltip.tsx';

export type Endpoint = Awaited<ReturnType<typeof api.webhookEndpoints.list>>['items'][number];

const GOOD_SHARE = 0.95;

export function endpointColumns(onTest: (url: string) => void): Column<Endpoint>[] {
  return [
    { id: 'url', header: 'URL', render: ({ url }) => <span title={url}>{url}</span> },
    {
      id: 'success',
      header: 'Delivered',
      width: 130,
      render: ({ success_rate: rate, recent_attempts: attempts }) =>
        rate === null ? (
          <StatusDot tone="off">No attempt yet</StatusDot>
        ) : (
          <Tooltip label={`Of the last ${plural(attempts, 'attempt')}`}>
            <span className="numeric">
              <StatusDot tone={toneOf(rate)}>{formatShare(rate)}</StatusDot>
            </span>
          </Tooltip>
        ),
    },
    {
      id: 'latency',
      header: 'Latency',
      width: 95,
      align: 'right',
      render: ({ latency_p50_ms: median, latency_p95_ms: slow, recent_attempts: attempts }) =>
        median === null ? (
          '–'
        ) : (
          <Tooltip label={`Median of the last ${plural(attempts, 'attempt')}; 95 % took up to ${slow} ms`}>
            <span className="numeric">{formatCount(median)} ms</span>
          </Tooltip>
        ),
    },
    {
      id: 'waiting',
      header: 'Waiting',
      width: 80,
      align: 'right',
      render: ({ waiting_events: count }) => <span className="numeric">{waitingWords(count)}</span>,
    },
    {
      id: 'last_success',
      header: 'Last delivery',
      width: 125,
      render: ({ last_success_at: at }) => <Time at={at} as="relative" none="Never" />,
    },
    {
      id: 'last_error',
      header: 'Last error',
      width: 160,
      render: ({ last_error: error }) =>
        error ? (
          <span title={error.error ?? undefined}>
            {errorText(error)} · <Time at={error.at} as="relative" />
          </span>
        ) : (
          'None'
        ),
    },
    {
      id: 'assistants',
      header: 'Assistants',
      width: 95,
      align: 'right',
      render: ({ assistant_count: count, agent_ids: [first] }) =>
        count === 1 && first ? (
          <Anchor component={Link} to={`/assistants/${first}`} size="sm">
            1
          </Anchor>
        ) : (
          <span className="numeric">{formatCount(count)}</span>
        ),
    },
    {
      id: 'test',
      header: '',
      width: 80,
      align: 'right',
      render: ({ url }) => (
        <RoleGate minimum="developer">
          <Button size="compact-sm" variant="default" onClick={() => onTest(url)} aria-label={`Test ${url}`}>
            Test
          </Button>
        </RoleGate>
      ),
    },
  ];
}

/** The API counts no further. */
const MAX_COUNTED = 10_000;

function waitingWords(count: number): string {
  return count < MAX_COUNTED ? formatCount(count) : `${formatCount(MAX_COUNTED)}+`;
}

function toneOf(rate: number): 'good' | 'warn' | 'bad' {
  if (rate >= GOOD_SHARE) return 'good';
  return rate > 0.5 ? 'warn' : 'bad';
}

/** The result of an attempt in words. */
export function errorText({ status, reason }: { status: number; reason: string }): string {
  return status > 0 ? `HTTP ${status}` : reason.replaceAll('_', ' ');
}
