import type { NewEvent } from './make-event.ts';

/** The assistant's URL as a message told it. */
export type EndpointNews = { agentId: string; workspaceId: string; version: number; url: string | null };

/** What a message tells. */
export type News = {
  messageId: string;
  /** Taken only if its version is higher than the known one. */
  endpoint: EndpointNews;
  /**
   * Once per call, event and edition; waits for the earlier ones where they are not finished. Only the newest edition
   * is sent: older ones that are pending are closed as `superseded`, and so is this one where a newer one came first.
   */
  event: NewEvent | null;
};

/** Writes what a message tells, once per message. False: it was heard before. */
export type TakeNews = (news: News) => Promise<boolean>;
