import { callObject, uuid } from '@parley/contracts';
import { AppError } from '@parley/kit/errors';
import { checkJson, checkJsonShape } from '@parley/kit/http';
import type { OutboundResult } from '@parley/kit/outbound';
import { z } from 'zod';
import { parseJson } from '../parse-json.ts';

type WebhookAnswer = {
  agentId: string | null;
  dynamicVariables: Record<string, unknown>;
  reject: boolean;
};

/** `ignored`: the response was invalid; `failed`: there was none. */
export type WebhookVerdict =
  | { outcome: 'answered'; status: number; answer: WebhookAnswer }
  | { outcome: 'ignored' | 'failed'; status: number | null; error: string };

const schema = z.object({
  agent_id: uuid.nullish(),
  dynamic_variables: callObject.nullish(),
  reject: z.boolean().nullish(),
});

export function isSuccess({ outcome, status }: OutboundResult): boolean {
  return outcome === 'response' && status >= 200 && status < 300;
}

/** Parses the response of an inbound webhook: an empty body counts as `{}`, and one invalid field invalidates all. */
export function readWebhookAnswer(result: OutboundResult): WebhookVerdict {
  const { status, body, bodyTruncated } = result;
  if (result.outcome !== 'response')
    return { outcome: 'failed', status: status || null, error: result.error };
  if (!isSuccess(result)) return { outcome: 'failed', status, error: `it responded with status ${status}` };
  const ignored = (error: string): WebhookVerdict => ({ outcome: 'ignored', status, error });
  if (bodyTruncated) return ignored('its response is too long');
  const value = body.trim() === '' ? {} : parseJson(body);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return ignored('its response is not a JSON object');
  }
  try {
    checkJsonShape(Buffer.from(body));
    checkJson(value, body);
  } catch (err) {
    if (err instanceof AppError)
      return ignored('its response is nested too deeply or contains text that cannot be stored');
    throw err;
  }
  const read = schema.safeParse(value);
  if (!read.success) {
    const [issue] = read.error.issues;
    const field = `its ${String(issue?.path[0])}`;
    const isTooBig = issue?.code === 'custom' && issue.params?.code === 'too_big';
    return ignored(isTooBig ? `${field} ${issue.message}` : `${field} is invalid`);
  }
  const { agent_id, dynamic_variables, reject } = read.data;
  return {
    outcome: 'answered',
    status,
    answer: {
      agentId: agent_id?.toLowerCase() ?? null,
      dynamicVariables: dynamic_variables ?? {},
      reject: reject ?? false,
    },
  };
}
