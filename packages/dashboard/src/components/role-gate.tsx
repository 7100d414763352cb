import { cloneElement, type MouseEvent, type PointerEvent, type ReactElement } from 'react';
import { isAtLeast } from '../app/roles.ts';
import { type Role, useSession } from '../app/session.ts';
import { Tooltip } from './tooltip.tsx';

/** Whether the person may do what needs a role, and otherwise why not. */
export function useRole(minimum: Role): { isAllowed: boolean; reason: string | undefined } {
  const { role } = useSession().workspace;
  const isAllowed = isAtLeast(role, minimum);
  const needed = minimum === 'owner' ? 'the role owner' : `at least the role ${minimum}`;
  return { isAllowed, reason: isAllowed ? undefined : `You are ${role} here; this needs ${needed}` };
}

type Gated = ReactElement<{
  'data-disabled'?: boolean;
  'aria-disabled'?: boolean;
  'aria-description'?: string;
  onClick?: (event: MouseEvent) => void;
  onPointerEnter?: (event: PointerEvent<HTMLElement>) => void;
}>;

type Props = { minimum: Role; children: Gated };

/**
 * A control that needs a role. Without it, the control is shown disabled and says why; it stays reachable by keyboard, so that the
 * reason is too. Inputs use `useRole` and their `disabled`.
 */
export function RoleGate({ minimum, children }: Props) {
  const { isAllowed, reason } = useRole(minimum);
  if (isAllowed) return children;
  const gated = cloneElement(children, {
    'data-disabled': true,
    'aria-disabled': true,
    'aria-description': reason ?? '',
    onClick: (event: MouseEvent) => event.preventDefault(),
  });
  return <Tooltip label={reason}>{gated}</Tooltip>;
}
