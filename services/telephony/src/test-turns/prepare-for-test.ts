import type { AssistantSnapshot } from '@parley/contracts';
import { validationFailed } from '@parley/kit/errors';
import { type PreparedAssistant, prepareAssistant, TOO_LONG } from '../assistants/prepare-prompt.ts';

/** `422` if the texts of the assistant become too long with these variables [trust.29]. */
export function prepareForTest(
  snapshot: AssistantSnapshot,
  variables: Readonly<Record<string, unknown>>,
): PreparedAssistant {
  const assistant = prepareAssistant(snapshot, variables);
  if (!assistant.isTooLong) return assistant;
  throw validationFailed([{ path: 'dynamic_variables', code: 'too_big', message: TOO_LONG }]);
}
