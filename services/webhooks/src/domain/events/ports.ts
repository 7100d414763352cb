import type { NewEvent } from './make-event.ts';

/** The assistant's URL as a message told it. */
export type EndpointNews = { agentId: string; workspaceId: string; version: number; url: string | null };

/** Writes inside the transaction that also remembers the message. */
export type EventWriter = {
  /** Takes only a higher version. */
  noteEndpoint(news: EndpointNews): Promise<void>;
  /**
   * Once per call, event and edition; waits for the earlier ones where they are not finished. Only the newest edition
   * is sent: older ones that are pending are closed as `superseded`, and so is this one where a newer one came first.
   */
  addEvent(event: NewEvent): Promise<void>;
};

/** Runs `work` unless the message was handled before. */
export type HandleOnce = (
  messageId: string,
  work: (writer: EventWriter) => Promise<void>,
) => Promise<boolean>;
