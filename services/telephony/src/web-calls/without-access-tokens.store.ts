import { createWebCall, createWidgetCall } from '@parley/contracts';
import type { IdempotencyStore } from '@parley/kit/idempotency';
import { z } from 'zod';
import type { AccessTokens } from './access-token.ts';

const PATHS: ReadonlySet<string> = new Set([createWebCall.path, createWidgetCall.path]);

const ABSENT = '"access_token":""';

const answerSchema = z.object({
  data: z.object({ id: z.string(), workspace_id: z.string(), access_token: z.string() }),
});

/**
 * Idempotency records without the tokens of web calls [general.20]: a reader of the table cannot join the calls of the last 24
 * hours. A replay derives the token again, which is the same for the same call.
 */
export function withoutAccessTokens(
  store: IdempotencyStore,
  { mint }: Pick<AccessTokens, 'mint'>,
): IdempotencyStore {
  return {
    ...store,
    answer: (tx, claim, answer) =>
      store.answer(tx, claim, PATHS.has(claim.path) ? { ...answer, body: strip(answer.body) } : answer),
    begin: async (scope, bodyHash) => {
      const begun = await store.begin(scope, bodyHash);
      if (begun.state !== 'answered' || !PATHS.has(scope.path)) return begun;
      return { ...begun, body: restore(begun.body, mint) };
    },
  };
}

function strip(body: string): string {
  const { data } = answerSchema.parse(JSON.parse(body));
  return replaceLast(body, `"access_token":${JSON.stringify(data.access_token)}`, ABSENT);
}

function restore(body: string, mint: AccessTokens['mint']): string {
  const { data } = answerSchema.parse(JSON.parse(body));
  const token = mint({ workspaceId: data.workspace_id, callId: data.id });
  return replaceLast(body, ABSENT, `"access_token":${JSON.stringify(token)}`);
}

/** The last occurrence: a client's metadata comes before it. */
function replaceLast(text: string, part: string, by: string): string {
  const at = text.lastIndexOf(part);
  return at < 0 ? text : `${text.slice(0, at)}${by}${text.slice(at + part.length)}`;
}
