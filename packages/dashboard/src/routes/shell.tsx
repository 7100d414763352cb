import { ParleyError } from '@parley/client/browser';
import { createRoute, redirect } from '@tanstack/react-router';
import { queryClient } from '../app/client.ts';
import { sessionQuery } from '../app/session.ts';
import { workspaceQuery } from '../app/workspace.ts';
import { Shell } from '../shell/shell.tsx';
import { rootRoute } from './root.tsx';

/** Begins what each page waits for. */
export function requestSession(): void {
  void queryClient.prefetchQuery(sessionQuery);
  void queryClient.prefetchQuery(workspaceQuery);
}

/** The parent of every page that needs a session with a workspace. */
export const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'shell',
  beforeLoad: async ({ location }) => {
    // Time zone and currency, which most pages show; without them they do with defaults.
    const settings = queryClient.ensureQueryData(workspaceQuery).catch(() => undefined);
    const session = await queryClient.ensureQueryData(sessionQuery).catch((error: unknown) => {
      if (error instanceof ParleyError && error.status === 401)
        throw redirect({ to: '/sign-in', search: { return_to: location.href } });
      throw error;
    });
    if (!session.workspace) throw redirect({ to: '/workspace', search: { return_to: location.href } });
    await settings;
  },
  component: Shell,
});
