import { IconAlertTriangle, IconKey, IconPhoneOff, IconServerOff, IconWebhookOff } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { formatShare, plural } from '../../app/format-number.ts';
import { formatPhone } from '../../app/format-phone.ts';
import { ChangedNote } from '../../components/changed-note.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { Time } from '../../components/time.tsx';
import styles from './home.module.css';
import { type AttentionItem, useAttention } from './use-home.ts';
import { useSteady } from './use-steady.ts';

/** A service that does not respond is only a name. */
type Entry = AttentionItem | string;

/** What somebody should look at. Not shown while everything is well. */
export function AttentionList() {
  const { data, error, isFetching, refetch } = useAttention();
  const entries = data && [...data.items, ...data.unknown_services];
  const { shown, hasNew, hasGone, showNewest } = useSteady<Entry>(entries, keyOf, !isFetching);
  if (error && !data)
    return (
      <ErrorNote
        error={error}
        title="What needs attention could not be loaded"
        onRetry={() => void refetch()}
      />
    );
  return (
    <>
      {hasNew || hasGone ? (
        <ChangedNote
          label={hasNew ? 'Something needs attention – show it' : 'Changed – show the newest'}
          onShow={() => {
            window.scrollTo({ top: 0 });
            showNewest();
          }}
        />
      ) : null}
      {shown.length > 0 ? (
        <section className={`card ${styles.attention}`} aria-label="Needs attention">
          <h2>Needs attention</h2>
          <ul>
            {shown.map((entry) =>
              typeof entry === 'string' ? (
                <Line
                  key={entry}
                  icon={<IconServerOff size={18} />}
                  title={`The service ${entry} does not respond`}
                >
                  What it would report is missing here.
                </Line>
              ) : (
                <Item key={keyOf(entry)} item={entry} />
              ),
            )}
          </ul>
        </section>
      ) : null}
    </>
  );
}

function Item({ item }: { item: AttentionItem }) {
  switch (item.type) {
    case 'webhook_endpoint_failing':
      return (
        <Line
          icon={<IconWebhookOff size={18} />}
          title={<Link to="/webhooks">Webhooks to {hostOf(item.url)} fail</Link>}
          at={item.at}
        >
          {reasonOf(item)}; {formatShare(item.success_rate)} of the last attempts were delivered,{' '}
          {plural(item.waiting_events, 'event')} waiting.
        </Line>
      );
    case 'webhook_events_exhausted':
      return (
        <Line
          icon={<IconWebhookOff size={18} />}
          title={
            <Link to="/calls/$callId" params={{ callId: item.call_id }}>
              {plural(item.count, 'webhook event')} given up
            </Link>
          }
          at={item.at}
        >
          Every attempt has failed. Once the receiver works, <Link to="/webhooks">send them again</Link>.
        </Line>
      );
    case 'number_circuit_open':
      return (
        <Line
          icon={<IconPhoneOff size={18} />}
          title={
            <Link to="/numbers/$id" params={{ id: item.phone_number_id }}>
              {item.nickname ?? formatPhone(item.phone_number)} cannot dial
            </Link>
          }
          at={item.at}
        >
          The carrier has failed repeatedly, so campaigns on this number wait.
          {item.next_probe_at ? (
            <>
              {' '}
              Next try: <Time at={item.next_probe_at} />.
            </>
          ) : null}
        </Line>
      );
    case 'events_not_published':
      return (
        <Line
          icon={<IconServerOff size={18} />}
          title={`${plural(item.count, 'event')} not published`}
          at={item.at}
        >
          The message broker refused events of {item.service}; the operator can publish them again.
        </Line>
      );
    case 'api_key_expiring':
      return (
        <Line
          icon={<IconKey size={18} />}
          title={<Link to="/developers">The key “{item.name}” expires</Link>}
          at={item.at}
        >
          Create another one before, and replace it where it is used.
        </Line>
      );
    default:
      return (
        <Line icon={<IconAlertTriangle size={18} />} title={(item as { type: string }).type}>
          {null}
        </Line>
      );
  }
}

type LineProps = { icon: ReactNode; title: ReactNode; at?: string; children: ReactNode };

function Line({ icon, title, at, children }: LineProps) {
  return (
    <li>
      <span className={styles.attentionIcon} aria-hidden="true">
        {icon}
      </span>
      <div>
        <strong>{title}</strong>
        <p>{children}</p>
      </div>
      {at ? (
        <small>
          <Time at={at} as="relative" />
        </small>
      ) : null}
    </li>
  );
}

/** Of an item, those that tell it from others of its type; the rest of it may change. */
const ABOUT = ['url', 'agent_id', 'phone_number_id', 'service', 'key_id'];

function keyOf(entry: Entry): string {
  if (typeof entry === 'string') return entry;
  const about = Object.entries(entry).filter(([name]) => ABOUT.includes(name));
  return JSON.stringify(about.length > 0 ? [entry.type, about] : entry);
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

function reasonOf({
  status,
  error,
  reason,
}: {
  status: number;
  error: string | null;
  reason: string;
}): string {
  if (status > 0) return `The receiver responds with ${status}`;
  return error ?? reason.replaceAll('_', ' ');
}
