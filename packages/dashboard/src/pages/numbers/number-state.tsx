import { useQuery } from '@tanstack/react-query';
import { Tooltip } from '../../components/tooltip.tsx';
import { type PillTone, StatusPill } from '../calls/status-pill.tsx';
import { circuitsQuery, type PhoneNumber } from './queries.ts';

/** Whether the number can place calls now, and otherwise why not. */
export function NumberState({ number }: { number: PhoneNumber }) {
  const { data: circuits } = useQuery(circuitsQuery);
  const circuit = circuits?.(number.id);
  if (!number.is_active)
    return (
      <State tone="none" label="Inactive" why="The operator has to activate it before it can place calls." />
    );
  if (circuit !== undefined && circuit !== 'closed')
    return (
      <State
        tone="bad"
        label="Circuit open"
        why="The carrier failed several times in a row. Campaigns on this number wait without losing attempts, and single dials test it."
      />
    );
  if (number.trunk?.health === 'down')
    return (
      <State
        tone="bad"
        label="Trunk down"
        why={`The trunk does not respond: ${number.trunk.reason ?? 'no answer'}.`}
      />
    );
  if (number.trunk?.registration === 'failed')
    return (
      <State
        tone="warn"
        label="No inbound"
        why={number.trunk.reason ?? 'The host of the trunk does not resolve to public addresses.'}
      />
    );
  if (circuit === undefined)
    return <State tone="good" label="Active" why="The state of its circuit is not known at the moment." />;
  return <State tone="good" label="Active" why="It can place calls; its circuit is closed." />;
}

function State({ tone, label, why }: { tone: PillTone; label: string; why: string }) {
  return (
    <Tooltip label={why} maw={280}>
      <span>
        <StatusPill tone={tone}>{label}</StatusPill>
        <span className="visually-hidden">{why}</span>
      </span>
    </Tooltip>
  );
}
