import type { CallUpdate } from '../call-update.ts';
import type { Media } from '../media.ts';
import type { SocketConnection } from './audio/socket-line.ts';

/** A line that this process holds. */
export type HeldLine = {
  media(): Media | undefined;
  /** The position of the next written message. */
  next(): number;
  /** Adds a written message; repetitions have no effect. */
  add(message: { seq: number; content: string }): void;
  /** The assistant takes the call. */
  answer(): Promise<void>;
  /** Answers the latest offer of the visitor's browser, once. */
  offer?(seq: number, offer: unknown): void;
  connectSocket?(connection: SocketConnection): void;
  show?(update: CallUpdate): void;
  /** The call is over. */
  end?(): void;
  close(): void;
};
