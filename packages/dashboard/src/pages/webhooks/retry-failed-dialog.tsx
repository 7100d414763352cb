import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { ParleyError } from '@parley/client/browser';
import { useEffect, useRef, useState } from 'react';
import { api, queryClient } from '../../app/client.ts';
import { isNotFound } from '../../app/describe-error.ts';
import { formatCount, plural } from '../../app/format-number.ts';
import { Modal } from '../../components/dialog.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { ProgressBar } from '../campaigns/progress-bar.tsx';
import { type FailedEvent, retryFailed, type Tally } from './retry-failed.ts';

const MAX_EVENTS = 1_000;
const PAGE_SIZE = 100;
/** Requests beyond those of the workspace a minute wait; a resend takes up to 75 seconds itself. */
const DEADLINE_MS = 180_000;
const RETRIES = 5;

const NOTHING: Tally = { total: 0, delivered: 0, failed: 0, skipped: 0 };

/** Asks, sends what was given up again, and shows how far it is. Loaded when it is opened. */
export function RetryFailedDialog({ onClose }: { onClose: () => void }) {
  const run = useRun();
  const { state, tally, down, error } = run;
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    // The button that had the focus is gone.
    if (state !== 'asked') button.current?.focus();
  }, [state]);
  return (
    <Modal
      opened
      onClose={onClose}
      isBusy={state === 'running'}
      title="Retry all failed events"
      closeOnClickOutside={false}
      withCloseButton={state !== 'running'}
    >
      <Stack>
        {state === 'asked' ? (
          <Text size="sm">
            Each event is sent once more with its webhook-id, the oldest first; at most{' '}
            {formatCount(MAX_EVENTS)} at a time, the newest. What fails again is tried for another day. An
            endpoint that refuses five in a row gets no more now.
          </Text>
        ) : (
          <Progress tally={tally} isRunning={state === 'running'} />
        )}
        {down.map((url) => (
          <Alert key={url} color="yellow" style={{ overflowWrap: 'anywhere' }}>
            {url} still refuses events. Retry again when it works.
          </Alert>
        ))}
        {error === undefined ? null : <ErrorNote error={error} title="Not everything was sent" />}
        <Group justify="flex-end" gap="xs">
          {state === 'running' ? (
            <Button ref={button} variant="default" onClick={run.stop} loading={run.isStopping}>
              Stop
            </Button>
          ) : (
            <Button ref={button} variant="default" onClick={onClose}>
              Close
            </Button>
          )}
          {state === 'asked' ? (
            <Button onClick={run.start} data-autofocus>
              Retry
            </Button>
          ) : null}
        </Group>
      </Stack>
    </Modal>
  );
}

type ProgressProps = { tally: Tally; isRunning: boolean };

function Progress({ tally: { total, delivered, failed, skipped }, isRunning }: ProgressProps) {
  const done = delivered + failed + skipped;
  return (
    <div>
      <Text size="sm" mb={6} role="status" aria-live={isRunning ? 'off' : 'polite'}>
        {isRunning && total === 0
          ? 'The list is being read.'
          : `${formatCount(done)} of ${plural(total, 'event')} done: ${formatCount(delivered)} delivered, ${formatCount(failed)} failed again, ${formatCount(skipped)} not sent.`}
      </Text>
      <ProgressBar
        total={total}
        parts={[
          { label: 'delivered', count: delivered, color: 'good' },
          { label: 'failed again', count: failed, color: 'bad' },
          { label: 'not sent', count: skipped, color: 'retry' },
        ]}
      />
      {isRunning ? (
        <Text size="xs" c="dimmed" mt={6}>
          Keep this page open.
        </Text>
      ) : null}
    </div>
  );
}

/** One run; it stops when the dialog or its page is left. */
function useRun() {
  const [state, setState] = useState<'asked' | 'running' | 'done'>('asked');
  const [tally, setTally] = useState(NOTHING);
  const [down, setDown] = useState<string[]>([]);
  const [error, setError] = useState<unknown>();
  const [isStopping, setStopping] = useState(false);
  const stopped = useRef(new AbortController());
  useEffect(() => {
    const controller = new AbortController();
    stopped.current = controller;
    return () => controller.abort();
  }, []);
  const start = async () => {
    const { signal } = stopped.current;
    setState('running');
    try {
      const events = await readFailed(signal);
      setDown(await retryFailed({ events, resend, onProgress: setTally, signal }));
    } catch (err) {
      if (!signal.aborted || err instanceof ParleyError) setError(err);
    }
    setState('done');
    void queryClient.invalidateQueries({ queryKey: ['webhook-endpoints'] });
    void queryClient.invalidateQueries({ queryKey: ['attention'] });
  };
  const stop = () => {
    setStopping(true);
    stopped.current.abort();
  };
  return { state, tally, down, error, isStopping, start: () => void start(), stop };
}

/** The newest, as they are listed. */
async function readFailed(signal: AbortSignal): Promise<FailedEvent[]> {
  const found: FailedEvent[] = [];
  for (let offset: number | undefined = 0; offset !== undefined && found.length < MAX_EVENTS; ) {
    const page = await api.webhookEvents.listFailed({ offset, limit: PAGE_SIZE }, { signal });
    found.push(...page.items);
    offset = page.nextCursor === null ? undefined : Number(page.nextCursor);
  }
  return found;
}

async function resend(callId: string, events: FailedEvent['event'][]) {
  const options = { retries: RETRIES, deadlineMs: DEADLINE_MS };
  // Another person may retry the same events: the platform sends only those that are still failed.
  return api.calls.resendWebhooks(callId, { events, only_failed: true }, options).then(
    ({ results }) => results,
    (error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    },
  );
}
