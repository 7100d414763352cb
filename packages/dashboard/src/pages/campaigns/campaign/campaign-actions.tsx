import { Button } from '@mantine/core';
import { IconDownload, IconPlayerPause, IconPlayerPlay, IconUserPlus, IconX } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../app/client.ts';
import { formatCount } from '../../../app/format-number.ts';
import { notifyDone, notifyError } from '../../../app/notify.ts';
import { ConfirmAction } from '../../../components/confirm-action.tsx';
import { lazyDialog } from '../../../components/lazy-component.tsx';
import { RoleGate } from '../../../components/role-gate.tsx';
import { type Campaign, campaignQuery, isOver } from './campaign-queries.ts';

const AppendContacts = lazyDialog(() => import('./append-contacts.tsx'), 'AppendContacts');

const CAN_START: readonly Campaign['status'][] = ['draft', 'scheduled', 'paused'];
const CAN_PAUSE: readonly Campaign['status'][] = ['running', 'dormant', 'scheduled'];

/** Start, pause, cancel, more contacts, results. */
export function CampaignActions({ campaign }: { campaign: Campaign }) {
  const [isAppending, setAppending] = useState(false);
  const { campaign_id: id, status } = campaign;
  const change = useChange(id);
  return (
    <>
      <Button
        component="a"
        href={`/v1/campaigns/${encodeURIComponent(id)}/contacts.csv`}
        download="contacts.csv"
        variant="default"
        leftSection={<IconDownload size={16} aria-hidden />}
      >
        Results as CSV
      </Button>
      {isOver(status) ? null : (
        <RoleGate minimum="developer">
          <Button
            variant="default"
            leftSection={<IconUserPlus size={16} aria-hidden />}
            onClick={() => setAppending(true)}
          >
            Add contacts
          </Button>
        </RoleGate>
      )}
      {CAN_PAUSE.includes(status) ? (
        <RoleGate minimum="developer">
          <Button
            variant="default"
            leftSection={<IconPlayerPause size={16} aria-hidden />}
            loading={change.isPending && change.variables === 'pause'}
            onClick={() => change.mutate('pause')}
          >
            Pause
          </Button>
        </RoleGate>
      ) : null}
      {CAN_START.includes(status) ? (
        <RoleGate minimum="developer">
          <Button
            leftSection={<IconPlayerPlay size={16} aria-hidden />}
            loading={change.isPending && change.variables === 'resume'}
            onClick={() => change.mutate('resume')}
          >
            {startLabel(status)}
          </Button>
        </RoleGate>
      ) : null}
      {isOver(status) ? null : <CancelCampaign campaign={campaign} />}
      {isAppending ? <AppendContacts campaign={campaign} onClose={() => setAppending(false)} /> : null}
    </>
  );
}

function startLabel(status: Campaign['status']): string {
  if (status === 'paused') return 'Resume';
  return status === 'scheduled' ? 'Start now' : 'Start';
}

const DONE = {
  resume: 'The campaign runs.',
  pause: 'The campaign is paused. Calls that go on are not cut off.',
} as const;

function useChange(id: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (verb: keyof typeof DONE) => api.campaigns[verb](id),
    onSuccess: (changed, verb) => {
      queryClient.setQueryData(campaignQuery(id).queryKey, changed);
      notifyDone(changed.status === 'dormant' ? 'The campaign waits for its hours.' : DONE[verb]);
    },
    onError: (error) => notifyError(error),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['campaign', id] }),
  });
}

function CancelCampaign({ campaign }: { campaign: Campaign }) {
  const queryClient = useQueryClient();
  const { campaign_id: id, campaign_name, total_contacts, completed_calls } = campaign;
  const left = total_contacts - completed_calls;
  return (
    <ConfirmAction
      title="Cancel this campaign?"
      confirmLabel="Cancel campaign"
      onConfirm={async () => {
        const cancelled = await api.campaigns.cancel(id);
        queryClient.setQueryData(campaignQuery(id).queryKey, cancelled);
        await queryClient.invalidateQueries({ queryKey: ['campaign', id] });
      }}
      trigger={(open) => (
        <RoleGate minimum="developer">
          <Button variant="subtle" color="red" leftSection={<IconX size={16} aria-hidden />} onClick={open}>
            Cancel campaign
          </Button>
        </RoleGate>
      )}
    >
      {`“${campaign_name}” ends for good: up to ${formatCount(left)} contacts are not called any more. Calls that go on are not cut off. A paused campaign can go on later, a cancelled one cannot.`}
    </ConfirmAction>
  );
}
