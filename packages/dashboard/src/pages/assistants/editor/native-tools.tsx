import { Paper, Stack } from '@mantine/core';
import { useEditor } from './editor-context.ts';
import { ChoiceField, SwitchField, TextField } from './fields.tsx';
import { Section } from './section.tsx';

const MODES = [
  { value: 'static', label: 'Always to the same destination' },
  { value: 'dynamic', label: 'To where the conversation says' },
] as const;
const CONTENTS = [
  { value: 'prompt', label: 'The model writes the text' },
  { value: 'static', label: 'A fixed text' },
] as const;
const AT = 'config.nativeTools';

/** The three tools that every assistant can have. */
export function NativeTools() {
  const { get } = useEditor();
  const transfers = get(`${AT}.transfer_call.enabled`) === true;
  const sends = get(`${AT}.send_sms.enabled`) === true;
  return (
    <Section title="Built-in tools" about="What the assistant can do without a server of yours.">
      <Paper withBorder p="sm">
        <SwitchField
          path={`${AT}.end_call.enabled`}
          label="End the call"
          description="end_call · hangs up when the conversation is over."
        />
      </Paper>
      <Paper withBorder p="sm">
        <Stack gap="sm">
          <SwitchField
            path={`${AT}.transfer_call.enabled`}
            label="Transfer the call"
            description="transfer_call · connects the human with a person."
          />
          {transfers && <ChoiceField path={`${AT}.transfer_call.mode`} label="Where to" choices={MODES} />}
          {transfers && get(`${AT}.transfer_call.mode`) !== 'dynamic' && (
            <TextField
              path={`${AT}.transfer_call.staticDestination`}
              label="Destination"
              description="A number such as +14155550123, or a sip: address."
              placeholder="+14155550123"
            />
          )}
        </Stack>
      </Paper>
      <Paper withBorder p="sm">
        <Stack gap="sm">
          <SwitchField
            path={`${AT}.send_sms.enabled`}
            label="Send a text message"
            description="send_sms · to the human, during the call."
          />
          {sends && <ChoiceField path={`${AT}.send_sms.smsContentType`} label="Text" choices={CONTENTS} />}
          {sends && get(`${AT}.send_sms.smsContentType`) === 'static' && (
            <TextField
              path={`${AT}.send_sms.smsStaticMessage`}
              label="Message"
              description="Up to 1,600 characters."
              isLong
            />
          )}
        </Stack>
      </Paper>
    </Section>
  );
}
