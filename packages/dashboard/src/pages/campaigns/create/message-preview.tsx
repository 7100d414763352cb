import { ActionIcon, Group, Skeleton, Text } from '@mantine/core';
import type { ContactInput } from '@parley/contracts';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { formatCount } from '../../../app/format-number.ts';
import { ErrorNote } from '../../../components/error-note.tsx';
import { Phone } from '../../../components/phone.tsx';
import styles from './message-preview.module.css';
import { fillText, missingValues, placeholdersOf, variablesOfContact } from './placeholders.ts';

type Props = {
  /** Undefined: the assistant is loading; null: none is chosen. */
  firstMessage: string | null | undefined;
  contacts: readonly ContactInput[];
  /** Why the assistant could not be loaded. */
  error: unknown;
  onRetry: () => void;
};

/** The first message as each contact hears it. */
export function MessagePreview({ firstMessage, contacts, error, onRetry }: Props) {
  const [chosen, setChosen] = useState(0);
  const index = Math.min(chosen, Math.max(0, contacts.length - 1));
  const contact = contacts[index];
  const pieces = useMemo(
    () => fillText(firstMessage ?? '', variablesOfContact(contact ?? {})),
    [firstMessage, contact],
  );
  return (
    <section className={`card ${styles.preview}`} aria-label="Preview of the first message">
      <Group justify="space-between" wrap="nowrap" mb="xs">
        <Text fw={600} size="sm">
          First message
        </Text>
        {contacts.length > 1 ? <Pager index={index} count={contacts.length} onChange={setChosen} /> : null}
      </Group>
      {firstMessage === undefined && error ? (
        <ErrorNote error={error} title="The assistant could not be loaded" onRetry={onRetry} />
      ) : (
        <Message firstMessage={firstMessage} pieces={pieces} />
      )}
      {contact ? (
        <Text size="xs" c="dimmed" mt="xs" component="div" className={styles.to}>
          to {contact.contact_name ? <bdi>{contact.contact_name}</bdi> : null}{' '}
          <Phone number={contact.phone_number} />
        </Text>
      ) : null}
      <Missing firstMessage={firstMessage} contacts={contacts} />
    </section>
  );
}

type MessageProps = { firstMessage: Props['firstMessage']; pieces: ReturnType<typeof fillText> };

function Message({ firstMessage, pieces }: MessageProps) {
  if (firstMessage === undefined) return <Skeleton height={56} aria-label="The assistant is loading" />;
  if (firstMessage === null || firstMessage === '') {
    return (
      <Text size="sm" c="dimmed">
        {firstMessage === null
          ? 'Choose an assistant to see what it says first.'
          : 'The assistant lets the contact speak first.'}
      </Text>
    );
  }
  return (
    <p className={styles.message} dir="auto">
      {pieces.map((piece, i) => {
        if ('text' in piece) return piece.text;
        return (
          <mark
            key={i}
            className={styles.value}
            data-empty={piece.value === '' || undefined}
            title={`{{${piece.placeholder}}}`}
          >
            {piece.value === '' ? piece.placeholder : piece.value}
          </mark>
        );
      })}
    </p>
  );
}

function Pager({
  index,
  count,
  onChange,
}: {
  index: number;
  count: number;
  onChange: (index: number) => void;
}) {
  return (
    <Group gap={4} wrap="nowrap">
      <ActionIcon
        size="sm"
        aria-label="Previous contact"
        disabled={index === 0}
        onClick={() => onChange(index - 1)}
      >
        <IconChevronLeft size={16} />
      </ActionIcon>
      <Text size="xs" c="dimmed" className="numeric">
        {formatCount(index + 1)} of {formatCount(count)}
      </Text>
      <ActionIcon
        size="sm"
        aria-label="Next contact"
        disabled={index >= count - 1}
        onClick={() => onChange(index + 1)}
      >
        <IconChevronRight size={16} />
      </ActionIcon>
    </Group>
  );
}

function Missing({ firstMessage, contacts }: Pick<Props, 'firstMessage' | 'contacts'>) {
  const missing = useMemo(
    () => (contacts.length === 0 ? [] : missingValues(placeholdersOf(firstMessage ?? ''), contacts)),
    [firstMessage, contacts],
  );
  if (missing.length === 0) return null;
  return (
    <ul className={styles.missing}>
      {missing.map(({ placeholder, contacts: count }) => (
        <li key={placeholder}>
          {`{{${placeholder}}}`} is empty for {count === contacts.length ? 'everybody' : formatCount(count)}
        </li>
      ))}
    </ul>
  );
}
