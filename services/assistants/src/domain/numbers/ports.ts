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
};
