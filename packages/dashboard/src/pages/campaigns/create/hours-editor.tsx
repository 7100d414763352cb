import { ActionIcon, Button, Chip, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import type { BusinessHours } from '@parley/contracts';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { clockTime, DAYS, hoursInWords, readClockTime, type Window } from '../hours.ts';
import { WeekGrid } from './week-grid.tsx';

type Props = { hours: BusinessHours; onChange: (hours: BusinessHours) => void; problem: string | undefined };

const ZONES = Intl.supportedValuesOf('timeZone');
const OFFICE_HOURS: Window = { start: 9 * 60, end: 17 * 60 };

/** Days and hours at which a campaign may dial: as a grid to paint, and as fields. */
export function HoursEditor({ hours, onChange, problem }: Props) {
  const { tz, days, windows } = hours;
  const setWindows = (next: Window[]) => onChange({ ...hours, windows: next });
  return (
    <Stack gap="md">
      <Select
        label="Time zone"
        data={ZONES.includes(tz) ? ZONES : [tz, ...ZONES]}
        value={tz}
        onChange={(zone) => zone && onChange({ ...hours, tz: zone })}
        searchable
        allowDeselect={false}
        maw={320}
      />
      <fieldset style={{ border: 0, padding: 0, margin: 0 }}>
        <Text component="legend" size="sm" fw={500} mb={6}>
          Days
        </Text>
        <Group gap={6}>
          {DAYS.map((name, i) => (
            <Chip
              key={name}
              size="xs"
              radius="md"
              checked={days.includes(i + 1)}
              onChange={(isChosen) =>
                onChange({
                  ...hours,
                  days: isChosen
                    ? [...days, i + 1].sort((a, b) => a - b)
                    : days.filter((day) => day !== i + 1),
                })
              }
            >
              {name.slice(0, 3)}
              <span className="visually-hidden">{name.slice(3)}</span>
            </Chip>
          ))}
        </Group>
      </fieldset>
      <Text size="sm" c="dimmed" aria-hidden>
        A campaign has one set of hours for all of its days: drag to open or close them.
      </Text>
      <WeekGrid days={days} windows={windows} onChange={setWindows} />
      <fieldset style={{ border: 0, padding: 0, margin: 0 }}>
        <Text component="legend" size="sm" fw={500} mb={6}>
          Hours, the same on every chosen day
        </Text>
        <Stack gap="xs" align="start">
          {windows.map((window, i) => (
            <WindowFields
              key={i}
              index={i}
              window={window}
              onChange={(next) => setWindows(windows.map((other, at) => (at === i ? next : other)))}
              onRemove={() => setWindows(windows.filter((_, at) => at !== i))}
            />
          ))}
          <Button
            variant="subtle"
            size="xs"
            leftSection={<IconPlus size={14} aria-hidden />}
            onClick={() => setWindows([...windows, freeWindow(windows)])}
          >
            Add hours
          </Button>
        </Stack>
      </fieldset>
      {problem ? (
        <Text size="sm" c="red" role="alert">
          {problem}
        </Text>
      ) : (
        <Text size="sm" c="dimmed">
          {days.length > 0 && windows.length > 0 ? hoursInWords(hours) : ''}
        </Text>
      )}
    </Stack>
  );
}

/** Hours that are not chosen yet. */
function freeWindow(windows: readonly Window[]): Window {
  const last = Math.max(0, ...windows.map(({ end }) => end));
  if (windows.length === 0) return OFFICE_HOURS;
  return last <= 22 * 60 ? { start: last + 60, end: Math.min(1440, last + 120) } : { start: 0, end: 60 };
}

type FieldsProps = {
  index: number;
  window: Window;
  onChange: (window: Window) => void;
  onRemove: () => void;
};

function WindowFields({ index, window, onChange, onRemove }: FieldsProps) {
  const [from, setFrom] = useState(clockTime(window.start));
  const [to, setTo] = useState(clockTime(window.end));
  useEffect(() => {
    setFrom(clockTime(window.start));
    setTo(clockTime(window.end));
  }, [window.start, window.end]);
  const [start, end] = [readClockTime(from), readClockTime(to)];
  const isValid = start !== undefined && end !== undefined && start < end;
  const apply = () => {
    if (isValid && (start !== window.start || end !== window.end)) onChange({ start, end });
  };
  const error = start === undefined || end === undefined ? 'hh:mm' : isValid ? undefined : 'Ends too early';
  const shared = { size: 'xs', w: 86, onBlur: apply, maxLength: 5, inputMode: 'numeric' } as const;
  return (
    <Group gap="xs" wrap="nowrap" align="start">
      <TextInput
        aria-label={`Hours ${index + 1}: from`}
        value={from}
        error={start === undefined ? error : undefined}
        onChange={(event) => setFrom(event.currentTarget.value)}
        {...shared}
      />
      <Text size="sm" mt={4}>
        to
      </Text>
      <TextInput
        aria-label={`Hours ${index + 1}: to`}
        value={to}
        error={start === undefined ? undefined : error}
        onChange={(event) => setTo(event.currentTarget.value)}
        {...shared}
      />
      <ActionIcon aria-label={`Remove hours ${index + 1}`} onClick={onRemove}>
        <IconTrash size={16} />
      </ActionIcon>
    </Group>
  );
}
