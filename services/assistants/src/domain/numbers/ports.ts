/** Which assistants a phone number names, as of a version. */
export type NumberLink = {
  phoneNumberId: string;
  workspaceId: string;
  phoneNumber: string;
  inboundAgentId: string | null;
  outboundAgentId: string | null;
  version: number;
};

export type NumberLinks = {
  /** Takes the link unless it was taken from this message before, or a higher version is known. */
  take(messageId: string, link: NumberLink): Promise<void>;
  /** Takes those of which no version as high is known; gives how many. */
  takeNewer(links: readonly NumberLink[]): Promise<number>;
  /** Ids of numbers that name an assistant, in order, above `after`. */
  naming(after: string | null, limit: number): Promise<string[]>;
  /** Of numbers that are gone for good: they name nobody, whatever a late message says; gives how many were known. */
  bury(phoneNumberIds: readonly string[]): Promise<number>;
};

/** The numbers as telephony has them: ids above `after`, up to and with `upTo`, in order. */
export type Numbers = {
  walk(range: { after: string | null; upTo: string | null; limit: number }): Promise<NumberLink[]>;
};
