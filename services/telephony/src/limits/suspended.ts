import { AppError } from '@parley/kit/errors';

/** The error for a call that was requested right before its workspace was suspended [trust.24]. */
export function workspaceSuspended(): AppError {
  return new AppError('FORBIDDEN', 'The workspace is suspended: contact the operator of the platform');
}
