import { Button } from '@mantine/core';
import { IconSparkles } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api } from '../../../../app/client.ts';
import { notifyDone, notifyError } from '../../../../app/notify.ts';
import { useRole } from '../../../../components/role-gate.tsx';
import { Tooltip } from '../../../../components/tooltip.tsx';
import { type Call, callQuery, isLive } from '../call-queries.ts';

const MAX_FIXES = 5;

/** Rebuilds the transcript from the recording [calls.14]. */
export function EnhanceTranscript({ call, onEnhanced }: { call: Call; onEnhanced: () => void }) {
  const queryClient = useQueryClient();
  const { reason: roleReason } = useRole('developer');
  const enhance = useMutation({
    mutationFn: () => api.calls.fixTranscript(call.id),
    onSuccess: (fixed) => {
      queryClient.setQueryData(callQuery(call.id).queryKey, fixed);
      void queryClient.invalidateQueries({ queryKey: ['call', call.id] });
      void queryClient.invalidateQueries({ queryKey: ['call-webhooks', call.id] });
      const isReady = fixed.transcript_fix_count > call.transcript_fix_count;
      notifyDone(
        isReady
          ? 'The transcript was rebuilt from the recording, and call_analyzed was sent again.'
          : 'The recording is being transcribed. The new transcript appears here when it is ready.',
      );
      onEnhanced();
    },
    onError: (error) => notifyError(error, 'The transcript could not be enhanced'),
  });
  const obstacle = roleReason ?? obstacleOf(call);
  const used = call.transcript_fix_count;
  const hint =
    obstacle ??
    `Rebuilds the transcript from the recording and sends call_analyzed again. Used ${used} of ${MAX_FIXES} times.`;
  return (
    <Tooltip label={hint} maw={300}>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconSparkles size={15} aria-hidden />}
        loading={enhance.isPending}
        // Stays reachable by keyboard, so that the reason is too.
        data-disabled={obstacle !== undefined || undefined}
        aria-disabled={obstacle !== undefined}
        aria-description={hint}
        onClick={() => {
          if (obstacle === undefined) enhance.mutate();
        }}
      >
        Enhance transcript
      </Button>
    </Tooltip>
  );
}

function obstacleOf(call: Call): string | undefined {
  if (isLive(call)) return 'The call has to be over first';
  if (call.recording_sid === null) return 'This call has no recording';
  if (call.transcript_fix_count >= MAX_FIXES) return 'A transcript can be enhanced five times at most';
  return undefined;
}
