import { SegmentedControl, Stack } from '@mantine/core';
import type { TimelineEntry } from '@parley/contracts';
import { useState } from 'react';
import { JsonView } from '../../../components/json/json-view.tsx';
import type { Call } from './call-queries.ts';

/** The call as the API returns it. */
export function CallJson({ call, timeline }: { call: Call; timeline: readonly TimelineEntry[] | undefined }) {
  const [shown, setShown] = useState('call');
  return (
    <Stack gap="sm" align="stretch">
      <SegmentedControl
        size="xs"
        aria-label="What is shown as JSON"
        value={shown}
        onChange={setShown}
        data={[
          { value: 'call', label: 'Call' },
          { value: 'timeline', label: 'Timeline' },
        ]}
        style={{ alignSelf: 'start' }}
      />
      <JsonView
        value={shown === 'call' ? call : (timeline ?? [])}
        label={shown === 'call' ? 'Call' : 'Timeline'}
        maxHeight={720}
      />
    </Stack>
  );
}
