import type { listCalls, ResponseOf } from '@parley/contracts';
import { exactTime, duration as formatDuration, shortTime } from '../../../app/format-time.ts';
import { useZone } from '../../../app/zone.ts';
import type { Column } from '../../../components/data-list/column.ts';
import { Money } from '../../../components/money.tsx';
import { Phone } from '../../../components/phone.tsx';
import { CallTypeIcon } from '../call-type-icon.tsx';
import { CallOutcome } from '../outcome.tsx';
import { ourNumber, TYPE_WORDS, theirNumber } from '../parties.ts';
import styles from './call-list.module.css';

export type ListedCall = ResponseOf<typeof listCalls>;

/** Lists show thousands of times: the exact instant is a title, which costs nothing until it is hovered. */
export function RowTime({ at }: { at: string | null }) {
  const zone = useZone();
  if (at === null) return '–';
  const date = new Date(at);
  return (
    <time dateTime={at} title={`${exactTime(date, zone)} · ${at}`} className="numeric">
      {shortTime(date, zone, new Date())}
    </time>
  );
}

export function CallContact({ call }: { call: Pick<ListedCall, 'call_type' | 'from_number' | 'to_number'> }) {
  const number = theirNumber(call);
  return (
    <span className={styles.contact}>
      <CallTypeIcon type={call.call_type} />
      {number === null ? <span className="truncate">Web visitor</span> : <Phone number={number} />}
    </span>
  );
}

/** Every column of the list; the first one links to the call. */
export const COLUMNS: readonly Column<ListedCall>[] = [
  { id: 'contact', header: 'Contact', render: (call) => <CallContact call={call} /> },
  { id: 'outcome', header: 'Outcome', render: (call) => <CallOutcome call={call} /> },
  {
    id: 'assistant',
    header: 'Assistant',
    render: ({ agent_name }) => agent_name ?? <span className={styles.dimmed}>Deleted assistant</span>,
  },
  {
    id: 'duration',
    header: 'Duration',
    width: 92,
    align: 'right',
    render: ({ duration }) => <span className="numeric">{duration ? formatDuration(duration) : '–'}</span>,
  },
  {
    id: 'cost',
    header: 'Cost',
    width: 84,
    align: 'right',
    render: ({ cost }) => <Money cents={cost || null} />,
  },
  {
    id: 'created',
    header: 'Created',
    width: 136,
    align: 'right',
    render: ({ created_at }) => <RowTime at={created_at} />,
  },
  {
    id: 'number',
    header: 'Our number',
    width: 170,
    isOptional: true,
    render: (call) => <Phone number={ourNumber(call)} />,
  },
  {
    id: 'type',
    header: 'Type',
    width: 100,
    isOptional: true,
    render: ({ call_type }) => TYPE_WORDS[call_type],
  },
  {
    id: 'started',
    header: 'Started',
    width: 136,
    align: 'right',
    isOptional: true,
    render: ({ started_at }) => <RowTime at={started_at} />,
  },
  {
    id: 'answered',
    header: 'Answered',
    width: 136,
    align: 'right',
    isOptional: true,
    render: ({ answered_at }) => <RowTime at={answered_at} />,
  },
  {
    id: 'ended',
    header: 'Ended',
    width: 136,
    align: 'right',
    isOptional: true,
    render: ({ ended_at }) => <RowTime at={ended_at} />,
  },
  {
    id: 'id',
    header: 'Call id',
    width: 310,
    isOptional: true,
    render: ({ id }) => <span className={styles.id}>{id}</span>,
  },
];
