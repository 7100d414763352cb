import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconCopy } from '@tabler/icons-react';

type Props = {
  value: string;
  /** What is copied: "key", "request id". */
  what: string;
  /** A button with words instead of an icon. */
  labelled?: boolean;
};

export function CopyButton({ value, what, labelled = false }: Props) {
  const { copied, copy } = useClipboard({ timeout: 1_500 });
  const icon = copied ? <IconCheck size={16} /> : <IconCopy size={16} />;
  if (labelled) {
    return (
      <Button variant="default" leftSection={icon} onClick={() => copy(value)}>
        {copied ? 'Copied' : `Copy ${what}`}
      </Button>
    );
  }
  return (
    <Tooltip label={copied ? 'Copied' : `Copy ${what}`}>
      <ActionIcon aria-label={`Copy ${what}`} onClick={() => copy(value)}>
        {icon}
      </ActionIcon>
    </Tooltip>
  );
}
