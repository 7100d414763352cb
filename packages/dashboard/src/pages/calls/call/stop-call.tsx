import { Button } from '@mantine/core';
import { IconPhoneOff } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { api } from '../../../app/client.ts';
import { ConfirmAction } from '../../../components/confirm-action.tsx';
import { RoleGate } from '../../../components/role-gate.tsx';
import { type Call, callQuery } from './call-queries.ts';

/** Hangs up a live call, after a question. */
export function StopCall({ call, who }: { call: Call; who: string }) {
  const queryClient = useQueryClient();
  const isTalking = call.status === 'in-progress';
  return (
    <ConfirmAction
      title="Stop this call?"
      confirmLabel="Stop call"
      onConfirm={async () => {
        const stopped = await api.calls.stop(call.id);
        queryClient.setQueryData(callQuery(call.id).queryKey, stopped);
        await queryClient.invalidateQueries({ queryKey: ['call', call.id] });
      }}
      trigger={(open) => (
        <RoleGate minimum="developer">
          <Button color="red.9" leftSection={<IconPhoneOff size={16} aria-hidden />} onClick={open}>
            Stop call
          </Button>
        </RoleGate>
      )}
    >
      {isTalking
        ? `The call with ${who} is cut off at once, in the middle of a sentence. This cannot be undone.`
        : `The call to ${who} is not placed, or stops ringing. This cannot be undone.`}
    </ConfirmAction>
  );
}
