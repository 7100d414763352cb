import { REPEATABLE_POSTS, resources } from '../resources.ts';
import { type Routes, routesOf } from '../route.ts';
import { dashboardResources } from './dashboard-resources.ts';

/** The table that the browser's client carries; written to `generated/browser-routes.ts` by `npm run generate`. */
export function browserRoutesModule(): string {
  const routes: Routes = routesOf({ ...resources, ...dashboardResources }, REPEATABLE_POSTS);
  return `import type { Routes } from '../route.ts';

export const browserRoutes: Routes = ${JSON.stringify(routes, null, 2)};
`;
}
