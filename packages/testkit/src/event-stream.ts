import type { DashboardChange, DashboardChanges } from '@parley/contracts';

type ServerSentEvent = { id: string; event: string; data: unknown };

export type EventStream = {
  status: number;
  headers: Headers;
  events: ServerSentEvent[];
  /** The changes of all events so far. */
  changes(): DashboardChange[];
  named(event: string): ServerSentEvent[];
  lastId(): string;
  /** The server has closed it. */
  isOver(): boolean;
  close(): void;
};

/** Opens `GET /dashboard/api/events` as a browser's `EventSource` does. */
export async function openEvents(url: string, headers: Record<string, string>): Promise<EventStream> {
  const gone = new AbortController();
  const response = await fetch(`${url}/dashboard/api/events`, { headers, signal: gone.signal });
  const events: ServerSentEvent[] = [];
  let lastId = '';
  let isOver = false;

  const read = async (): Promise<void> => {
    if (!response.ok || !response.body) return;
    let text = '';
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
        const fields = new Map(
          text
            .slice(0, end)
            .split('\n')
            .map((line) => line.split(/: (.*)/s, 2) as [string, string]),
        );
        text = text.slice(end + 2);
        lastId = fields.get('id') ?? lastId;
        const data = fields.get('data');
        if (data)
          events.push({ id: lastId, event: fields.get('event') ?? 'message', data: JSON.parse(data) });
      }
    }
  };
  read()
    .catch(() => {})
    .finally(() => {
      isOver = true;
    });
  const named = (event: string) => events.filter((one) => one.event === event);
  return {
    status: response.status,
    headers: response.headers,
    events,
    named,
    changes: () => named('changes').flatMap(({ data }) => (data as DashboardChanges).changes),
    lastId: () => lastId,
    isOver: () => isOver,
    close: () => gone.abort(),
  };
}
