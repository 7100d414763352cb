import { ParleyError } from '@parley/client/browser';
import { describeError } from './describe-error.ts';
import { createStore } from './store.ts';

/** Whether what shows notifications is loaded: it comes with the first one. */
export const hasNotifications = createStore(false);

type Notification = {
  title?: string;
  message: string;
  color: string;
  autoClose: number;
  role?: string;
  style?: { pointerEvents: 'none' };
};

const CLOSE = { 'aria-label': 'Close', style: { pointerEvents: 'auto' } } as const;

/** Says that something was done. The pointer may rest where it appears: what is below can be clicked, and it closes. */
export function notifyDone(message: string): void {
  void show({ message, color: 'teal', autoClose: 4_000, style: { pointerEvents: 'none' } });
}

export function notifyError(error: unknown, title?: string): void {
  const { heading, message } = describeError(error);
  const requestId = error instanceof ParleyError ? error.requestId : undefined;
  void show({
    title: title ?? heading,
    message: requestId === undefined ? message : `${message} Request ${requestId}`,
    color: 'red',
    autoClose: 10_000,
    role: 'alert',
  });
}

/** The result is that of an earlier attempt, whose response was lost. */
export function notifySentBefore(at: number): void {
  const time = new Date(at).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
  void show({
    title: 'Sent before',
    message: `An attempt at ${time} was accepted, and this is its result. It may have been changed or removed since.`,
    color: 'yellow',
    autoClose: 10_000,
    role: 'alert',
  });
}

async function show(notification: Notification): Promise<void> {
  const loaded = await import('@mantine/notifications').catch(() => undefined);
  if (loaded) {
    hasNotifications.set(true);
    loaded.notifications.show({ ...notification, withBorder: true, closeButtonProps: CLOSE });
  } else if (notification.role === 'alert') {
    // There is no network to load it with. What says nothing looks as if it had worked.
    window.alert([notification.title, notification.message].join('\n'));
  }
}
