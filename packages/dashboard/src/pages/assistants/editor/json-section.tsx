import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useEffect, useMemo, useRef, useState } from 'react';
import { CopyButton } from '../../../components/copy-button.tsx';
import { JsonEditor } from '../../../components/json/json-editor.tsx';
import { useDraft } from '../../../drafts/use-draft.ts';
import { type Draft, jsonDraftName } from '../model/draft.ts';
import { isObject, isSame, type JsonObject } from '../model/json.ts';
import { mergeThreeWay } from '../model/three-way.ts';
import { useEditor } from './editor-context.ts';
import { pathLabel } from './path-label.ts';

/** A text that is not valid yet, and what was shown before it was typed; both are empty if there is none. */
const NO_TEXT = { text: '', shown: '' };

/** A secret is refused here, but may be typed. */
const withoutSecrets = (kept: typeof NO_TEXT) => (/webhook_secret|whsec_/.test(kept.text) ? NO_TEXT : kept);

/** The whole configuration as JSON. What is valid JSON is the draft at once, and the other tabs show it. */
export function JsonSection({ onChange }: { onChange(draft: Draft): void }) {
  const { base, draft, errors, lockedBecause } = useEditor();
  const shown = useMemo(() => format(draft), [draft]);
  const invalid = useDraft(jsonDraftName(base.id), NO_TEXT, withoutSecrets);
  const { discard: discardInvalid, value: kept } = invalid;
  const [text, setText] = useState(() => (kept.shown === '' ? shown : kept.text));
  const read = useMemo(() => parse(text, draft), [text, draft]);

  // A change from elsewhere, such as another tab or another person, replaces what is shown, but no text that is only here.
  const former = useRef(shown);
  useEffect(() => {
    if (former.current === shown) return;
    former.current = shown;
    setText((now) => {
      const parsed = parse(now, draft);
      return 'problem' in parsed || isSame(parsed.draft, draft) ? now : shown;
    });
  }, [shown, draft]);

  const change = (next: string) => {
    setText(next);
    const parsed = parse(next, draft);
    if ('problem' in parsed) return invalid.set({ text: next, shown: kept.shown || shown });
    discardInvalid();
    const made = ontoOthers(kept.shown || shown, parsed.draft, draft);
    if (!isSame(made, parsed.draft)) setText(format(made));
    if (!isSame(made, draft)) onChange(made);
  };
  const reset = () => {
    setText(shown);
    discardInvalid();
  };
  const wrong = Object.entries(errors);
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Text size="sm" c="dimmed" maw={560}>
          The assistant as the API has it. Keys of your own are kept. A key that is left out returns to its
          default.
        </Text>
        <Group gap="xs">
          <Button
            variant="default"
            size="xs"
            disabled={'problem' in read || lockedBecause !== undefined}
            onClick={() => setText(format(draft))}
          >
            Format
          </Button>
          <CopyButton value={text} what="JSON" />
        </Group>
      </Group>
      {'problem' in read && (
        <Alert color="yellow" title="Not taken over yet" id="json-problem" role="status">
          {read.problem}. The other tabs still show the last valid version.
          {kept.shown === '' || kept.shown === shown
            ? null
            : ' It was changed since you began this text: that is kept where this text does not change the same.'}
          <Button mt="xs" size="xs" variant="default" onClick={reset} disabled={lockedBecause !== undefined}>
            Return to it
          </Button>
        </Alert>
      )}
      {wrong.length > 0 && (
        <Alert color="red" title="Refused by the API" role="alert">
          <ul>
            {wrong.map(([path, message]) => (
              <li key={path}>
                {pathLabel(path)}: {message}
              </li>
            ))}
          </ul>
        </Alert>
      )}
      <JsonEditor
        label="Configuration as JSON"
        value={text}
        onChange={change}
        minHeight={480}
        maxHeight={760}
        readOnly={lockedBecause !== undefined}
      />
    </Stack>
  );
}

/** What the text changes in what was `shown` before it, in the draft as it is now. */
function ontoOthers(shown: string, typed: Draft, now: Draft): Draft {
  const before: JsonObject = JSON.parse(shown);
  return mergeThreeWay(before, typed as JsonObject, now as JsonObject).merged as Draft;
}

function format({ agent_name, agent_type, config }: Draft): string {
  return JSON.stringify({ agent_name, agent_type, config }, null, 2);
}

/** The draft that a text means, with the secret that JSON does not show. */
function parse(text: string, { webhook_secret }: Draft): { draft: Draft } | { problem: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { problem: `This is no valid JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
  if (!isObject(value)) return { problem: 'An object with agent_name, agent_type and config is expected' };
  const { agent_name, agent_type, config, ...others } = value;
  if (typeof agent_name !== 'string' || typeof agent_type !== 'string')
    return { problem: 'agent_name and agent_type must be texts' };
  if (!isObject(config)) return { problem: 'config must be an object' };
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    return { problem: `“${unknown}” is no field of an assistant; settings belong into config` };
  return {
    draft: { agent_name, agent_type, config, ...(webhook_secret === undefined ? {} : { webhook_secret }) },
  };
}
