import { Button, Checkbox } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import styles from './choices.module.css';

export type Choice = { value: string; label: string };

type Props = {
  /** Of the group, for screen readers. */
  name: string;
  choices: readonly Choice[];
};

type SomeProps = Props & {
  chosen: readonly string[];
  onChange: (chosen: string[] | undefined) => void;
};

function toggled(chosen: readonly string[], value: string): string[] | undefined {
  const next = chosen.includes(value) ? chosen.filter((other) => other !== value) : [...chosen, value];
  return next.length > 0 ? next : undefined;
}

/** A short list of which any number can be chosen. */
export function Choices({ name, choices, chosen, onChange }: SomeProps) {
  return (
    <fieldset className={styles.choices}>
      <legend className="visually-hidden">{name}</legend>
      {choices.map(({ value, label }) => (
        <Checkbox
          key={value}
          size="sm"
          label={label}
          checked={chosen.includes(value)}
          onChange={() => onChange(toggled(chosen, value))}
        />
      ))}
    </fieldset>
  );
}

type OneProps = Props & { chosen: string | undefined; onChange: (chosen: string) => void };

/** A short list of which one can be chosen. */
export function OneChoice({ name, choices, chosen, onChange }: OneProps) {
  return (
    <fieldset className={styles.menu}>
      <legend className="visually-hidden">{name}</legend>
      {choices.map(({ value, label }) => (
        <Button
          key={value}
          variant="subtle"
          color="gray"
          size="xs"
          fullWidth
          justify="space-between"
          className={styles.one}
          aria-pressed={value === chosen}
          rightSection={value === chosen ? <IconCheck size={14} aria-hidden /> : null}
          onClick={() => onChange(value)}
        >
          {label}
        </Button>
      ))}
    </fieldset>
  );
}
