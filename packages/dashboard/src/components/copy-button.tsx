import { ActionIcon, Button } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { copyText } from '../app/copy-text.ts';
import { Tooltip } from './tooltip.tsx';

type Props = {
  value: string;
  /** What is copied: "key", "request id". */
  what: string;
  /** A button with words instead of an icon. */
  labeled?: boolean;
};

const SHOWN_MS = 1_500;
const WORDS = { copied: 'Copied', refused: 'Select it and copy it by keyboard' };

export function CopyButton({ value, what, labeled = false }: Props) {
  const [outcome, setOutcome] = useState<keyof typeof WORDS>();
  useEffect(() => {
    if (outcome !== 'copied') return;
    const timer = setTimeout(() => setOutcome(undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = async () => setOutcome((await copyText(value)) ? 'copied' : 'refused');
  const words = outcome ? WORDS[outcome] : `Copy ${what}`;
  const icon = outcome === 'copied' ? <IconCheck size={16} /> : <IconCopy size={16} />;
  if (labeled) {
    return (
      <Button variant="default" leftSection={icon} onClick={() => void copy()}>
        {words}
      </Button>
    );
  }
  return (
    <Tooltip label={words}>
      <ActionIcon aria-label={`Copy ${what}`} onClick={() => void copy()}>
        {icon}
      </ActionIcon>
    </Tooltip>
  );
}
