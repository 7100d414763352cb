import { Group, Stack, Text, UnstyledButton } from '@mantine/core';
import { IconChevronRight } from '@tabler/icons-react';
import { useId, useState } from 'react';
import { JsonView } from '../../../../components/json/json-view.tsx';
import { StatusPill } from '../../status-pill.tsx';
import type { CallWebhook } from './call-webhook.ts';
import { deliveryWords } from './delivery-words.ts';
import styles from './webhooks.module.css';

type Attempt = CallWebhook['attempts'][number];

/** One attempt: a line that opens to its request and its response. */
export function AttemptDetails({ attempt, time }: { attempt: Attempt; time: React.ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const isOk = attempt.reason === 'delivered';
  return (
    <li className={styles.attempt}>
      <UnstyledButton
        className={styles.attemptHead}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        <IconChevronRight size={14} className={styles.chevron} data-open={isOpen || undefined} aria-hidden />
        <StatusPill tone={isOk ? 'good' : 'bad'}>{attempt.status || 'none'}</StatusPill>
        <span className={styles.attemptWords}>
          {deliveryWords(attempt.reason, attempt.status)}
          {attempt.error && <span className={styles.error}> · {attempt.error}</span>}
        </span>
        <span className={styles.attemptMeta}>
          {time} · {attempt.duration_ms} ms
        </span>
      </UnstyledButton>
      {isOpen && (
        <div id={id} className={styles.exchange}>
          <Group gap="xs" mb="xs">
            <Text size="xs" c="dimmed" className={styles.url}>
              POST {attempt.url}
            </Text>
          </Group>
          <Stack gap="md">
            <Message title="Request" message={attempt.request} />
            {attempt.response ? (
              <Message title={`Response ${attempt.status}`} message={attempt.response} />
            ) : (
              <div>
                <Text size="sm" fw={600}>
                  Response
                </Text>
                <Text size="sm" c="dimmed" mt={4}>
                  There was none.
                </Text>
              </div>
            )}
          </Stack>
        </div>
      )}
    </li>
  );
}

function Message({ title, message }: { title: string; message: Attempt['request'] }) {
  return (
    <section aria-label={title} className={styles.message}>
      <Text size="sm" fw={600}>
        {title}
      </Text>
      <dl className={styles.headers}>
        {Object.entries(message.headers).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {message.body === '' ? (
        <Text size="xs" c="dimmed">
          No body
        </Text>
      ) : (
        <JsonView value={message.body} label={`Body of the ${title.toLowerCase()}`} maxHeight={360} />
      )}
    </section>
  );
}
