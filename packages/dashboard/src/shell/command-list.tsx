import { Modal, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useId, useMemo, useState } from 'react';
import { useFocusReturn } from '../components/use-focus-return.ts';
import { type Command, useCommands } from './commands.ts';
import { useFound } from './found.ts';
import styles from './shell.module.css';

/** Everything that can be opened or done, by typing a part of its name. */
export function CommandList({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const commands = useCommands(navigate);
  const [typed, setTyped] = useState('');
  const [selected, setSelected] = useState(0);
  const id = useId();
  useFocusReturn();
  const { found, isSearching, isPartial } = useFound(typed, navigate);
  const known = useMemo(() => matching(commands, typed), [commands, typed]);
  const matches = [...known, ...found];
  const active = Math.min(selected, matches.length - 1);
  const run = (command: Command | undefined) => {
    if (!command) return;
    onClose();
    command.run();
  };
  useEffect(() => {
    document.getElementById(`${id}-${active}`)?.scrollIntoView({ block: 'nearest' });
  }, [id, active]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') run(matches[active]);
    else if (event.key === 'ArrowDown') setSelected(Math.min(active + 1, matches.length - 1));
    else if (event.key === 'ArrowUp') setSelected(Math.max(active - 1, 0));
    else return;
    event.preventDefault();
  };
  return (
    <Modal.Root opened onClose={onClose} padding={0} size={560} yOffset="12vh">
      <Modal.Overlay backgroundOpacity={0.4} blur={2} />
      <Modal.Content aria-label="Find or do">
        <TextInput
          variant="unstyled"
          size="md"
          leftSection={<IconSearch size={18} />}
          placeholder="Where to, or what to do?"
          aria-label="Find or do"
          role="combobox"
          aria-expanded
          aria-controls={`${id}-list`}
          aria-activedescendant={matches.length > 0 ? `${id}-${active}` : undefined}
          value={typed}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            setSelected(0);
          }}
          onKeyDown={onKeyDown}
          data-autofocus
          className={styles.commandInput}
        />
        <div id={`${id}-list`} role="listbox" aria-label="Commands" className={styles.commands}>
          {matches.length === 0 ? (
            <p className={styles.noCommand}>{isSearching ? 'Searching …' : `Nothing matches “${typed}”`}</p>
          ) : null}
          {matches.map((command, i) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the text field, which keeps the focus
            <div
              key={command.id ?? command.label}
              id={`${id}-${i}`}
              role="option"
              aria-selected={i === active}
              tabIndex={-1}
              className={styles.command}
              onMouseMove={() => setSelected(i)}
              onClick={() => run(command)}
            >
              <command.icon size={17} stroke={1.7} aria-hidden="true" />
              <span className="truncate" title={command.label}>
                {command.label}
              </span>
              <small>{command.group}</small>
            </div>
          ))}
        </div>
        {isPartial ? <p className={styles.noCommand}>Not everything could be searched.</p> : null}
      </Modal.Content>
    </Modal.Root>
  );
}

function matching(commands: readonly Command[], typed: string): Command[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return commands.filter(({ label, group, keywords = '' }) => {
    const text = `${label} ${group} ${keywords}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
