import { createRoute } from '@tanstack/react-router';
import { text } from '../app/search.ts';
import { lazyPage } from '../shell/lazy-page.tsx';
import { rootRoute } from './root.tsx';

/** Only to this application: a link may not lead elsewhere after the sign-in. */
function returnTo(search: Record<string, unknown>): { return_to?: string } {
  const path = text(search.return_to);
  return path && /^\/(?![/\\])/.test(path) ? { return_to: path } : {};
}

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: returnTo,
  component: lazyPage(() => import('../pages/sign-in/sign-in-page.tsx'), 'SignInPage'),
});

/** `#TOKEN`: printed by `npm start`, or made by the operator. */
const linkRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in/link',
  component: lazyPage(() => import('../pages/sign-in/link-page.tsx'), 'LinkPage'),
});

/** `#TOKEN`, mailed or passed on by the person who invited. */
const invitationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/invitation',
  component: lazyPage(() => import('../pages/sign-in/invitation-page.tsx'), 'InvitationPage'),
});

const forgotRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/password/forgot',
  component: lazyPage(() => import('../pages/sign-in/forgot-page.tsx'), 'ForgotPage'),
});

/** `#TOKEN`, mailed. */
const resetRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/password',
  component: lazyPage(() => import('../pages/sign-in/reset-page.tsx'), 'ResetPage'),
});

/** `#TOKEN`, mailed: proves the address of the account. */
const addressRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/address',
  component: lazyPage(() => import('../pages/sign-in/address-page.tsx'), 'AddressPage'),
});

const workspaceRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/workspace',
  validateSearch: returnTo,
  component: lazyPage(() => import('../pages/sign-in/workspace-page.tsx'), 'WorkspacePage'),
});

export const signInRoutes = [
  signInRoute,
  linkRoute,
  invitationRoute,
  forgotRoute,
  resetRoute,
  addressRoute,
  workspaceRoute,
];
