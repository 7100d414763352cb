import { Stack } from '@mantine/core';
import { useEditor } from './editor-context.ts';
import { ChoiceField, NumberField, SwitchField, TextField } from './fields.tsx';
import { Section } from './section.tsx';

const ACTIONS = [
  { value: 'hangup', label: 'Hang up' },
  { value: 'leave_message', label: 'Leave a message' },
] as const;

/** Everything under `config.settings` that decides how a call goes. */
export function CallSettingsSection() {
  const { get } = useEditor();
  const detects = get('config.settings.voicemail.detection') !== false;
  const leaves = get('config.settings.voicemail.action') === 'leave_message';
  const interrupts = get('config.settings.interruption.enabled') !== false;
  return (
    <Stack gap="xl">
      <Section
        title="Turn taking"
        about="When the assistant answers, and whether it can be interrupted. In spoken calls only."
      >
        <NumberField
          path="config.settings.endpointing.silenceMs"
          label="Silence that ends a turn"
          description="Shorter answers faster, longer interrupts less. A sentence that sounds unfinished gets more."
          min={200}
          max={5000}
          step={50}
          suffix=" ms"
        />
        <SwitchField
          path="config.settings.interruption.enabled"
          label="The human can interrupt"
          description="Off: the assistant finishes its sentence, and hears what was said meanwhile afterwards."
          isOnByDefault
        />
        {interrupts && (
          <NumberField
            path="config.settings.interruption.minSpeechMs"
            label="Speech that interrupts"
            description="From how much speech on. More ignores a short “mm-hm”."
            min={0}
            max={5000}
            step={50}
            suffix=" ms"
          />
        )}
      </Section>
      <Section title="Limits" about="When a call ends by itself.">
        <NumberField
          path="config.settings.maxCallDuration"
          label="Longest call"
          description="10 seconds to two hours. The call then ends with the reason timeout."
          min={10}
          max={7200}
          step={30}
          suffix=" s"
        />
        <NumberField
          path="config.settings.silenceTimeout"
          label="Silence until the assistant hangs up"
          description="Time in which neither side speaks or writes. The time of tools does not count."
          min={5}
          max={600}
          suffix=" s"
        />
        <NumberField
          path="config.settings.ringTimeout"
          label="How long to let it ring"
          description="Outbound calls only. Then the call counts as not answered."
          min={5}
          max={120}
          suffix=" s"
        />
      </Section>
      <Section title="Voicemail" about="What happens when a machine picks up an outbound call.">
        <SwitchField
          path="config.settings.voicemail.detection"
          label="Recognize answering machines"
          description="Off: the assistant talks to machines as to people, until silence ends the call."
          isOnByDefault
        />
        {detects && <ChoiceField path="config.settings.voicemail.action" label="Then" choices={ACTIONS} />}
        {detects && leaves && (
          <TextField
            path="config.settings.voicemail.message"
            label="Message"
            description="Spoken after the tone. May contain {{placeholders}}."
            isLong
          />
        )}
      </Section>
      <Section title="Recording">
        <SwitchField
          path="config.settings.recording.enabled"
          label="Record calls"
          description="Both sides, on separate channels. Without a recording there is no Enhance Transcript."
          isOnByDefault
        />
      </Section>
    </Stack>
  );
}
