import type { CallControl } from './call-control.ts';
import type { MediaSource } from './media.ts';

/** Text messages of a carrier. */
export type MessageSender = {
  /** `refused` is the carrier's reason, for humans. Rejects if the carrier could not be reached. */
  sendSms(request: SmsRequest): Promise<{ messageId: string } | { refused: string }>;
};

export type SmsRequest = {
  workspaceId: string;
  from: string;
  to: string;
  text: string;
  /** The tool's own account, or null to use the number's. */
  account: { accountSid: string; authToken: string } | null;
};

/** An adapter: everything that a carrier does for calls. Its name is stored with each of its calls. */
export type Carrier = CallControl &
  MediaSource &
  MessageSender & {
    readonly name: string;
    /** Whether this call has audio. Undefined: all calls have what `capabilities.media` says. */
    isSpoken?(reference: string): boolean;
  };
