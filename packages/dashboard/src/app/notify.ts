import { notifications } from '@mantine/notifications';
import { describeError } from './describe-error.ts';

/** Says that something was done. */
export function notifyDone(message: string): void {
  notifications.show({ message, color: 'teal', autoClose: 4_000, withBorder: true });
}

export function notifyError(error: unknown, title?: string): void {
  const { heading, message } = describeError(error);
  notifications.show({
    title: title ?? heading,
    message,
    color: 'red',
    autoClose: 10_000,
    withBorder: true,
    role: 'alert',
  });
}
