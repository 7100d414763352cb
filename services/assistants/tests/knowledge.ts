import { type Harness, type Json, whenAvailable } from './harness.ts';

/** Knowledge bases through the API, for tests. */
export function knowledge(service: Harness) {
  const made = ({ status, text, body }: Json): Json => {
    if (status !== 201) throw new Error(text);
    return body.data;
  };
  return {
    /** The id of a new knowledge base. */
    add: async (workspaceId: string, name = 'Rules'): Promise<string> =>
      made(await whenAvailable(() => service.post(workspaceId, '/v1/knowledge-base', { name }))).id,
    /** The id of a new document. */
    addDocument: async (workspaceId: string, id: string, title: string, text: string): Promise<string> =>
      made(
        await whenAvailable(
          () => service.post(workspaceId, `/v1/knowledge-base/${id}/documents`, { title, text }),
          [409, 429, 503],
        ),
      ).id,
    search: async (workspaceId: string, id: string, query: string, limit?: number): Promise<Json[]> => {
      const body = limit === undefined ? { query } : { query, limit };
      const answer = await whenAvailable(() =>
        service.post(workspaceId, `/v1/knowledge-base/${id}/search`, body),
      );
      if (answer.status !== 200) throw new Error(answer.text);
      return answer.body.data;
    },
  };
}
