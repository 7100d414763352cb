import type { AnyEndpoint } from '../endpoint.ts';
import * as assistants from './assistants.ts';
import * as calls from './calls.ts';
import * as campaigns from './campaigns.ts';
import * as contacts from './contacts.ts';
import * as dashboardKeys from './dashboard-keys.ts';
import * as dashboardMembers from './dashboard-members.ts';
import * as dashboardSessions from './dashboard-sessions.ts';
import * as dialConditions from './dial-conditions.ts';
import * as doNotCall from './do-not-call.ts';
import * as internal from './internal.ts';
import * as knowledgeBases from './knowledge-bases.ts';
import * as numberLinks from './number-links.ts';
import * as phoneNumbers from './phone-numbers.ts';
import * as retirements from './retirements.ts';
import * as simulator from './simulator.ts';
import * as tools from './tools.ts';
import * as webCalls from './web-calls.ts';
import * as webhookEndpoints from './webhook-endpoints.ts';
import * as webhooks from './webhooks.ts';

export * from './assistants.ts';
export * from './calls.ts';
export * from './campaigns.ts';
export * from './contacts.ts';
export * from './dashboard-keys.ts';
export * from './dashboard-members.ts';
export * from './dashboard-sessions.ts';
export * from './dial-conditions.ts';
export * from './do-not-call.ts';
export * from './internal.ts';
export * from './knowledge-bases.ts';
export * from './number-links.ts';
export * from './phone-numbers.ts';
export * from './retirements.ts';
export * from './secrets.ts';
export * from './simulator.ts';
export * from './tools.ts';
export * from './web-calls.ts';
export * from './webhook-endpoints.ts';
export * from './webhooks.ts';

/** Every endpoint of the platform, public and internal. */
export const allEndpoints: readonly AnyEndpoint[] = [
  assistants,
  tools,
  knowledgeBases,
  phoneNumbers,
  calls,
  doNotCall,
  campaigns,
  contacts,
  webCalls,
  webhooks,
  webhookEndpoints,
  simulator,
  dashboardSessions,
  dashboardMembers,
  dashboardKeys,
  internal,
  dialConditions,
  retirements,
  numberLinks,
]
  .flatMap((module) => Object.values(module) as unknown[])
  .filter(
    (value): value is AnyEndpoint =>
      typeof value === 'object' && value !== null && 'path' in value && 'envelope' in value,
  );

/** What the gateway forwards and documents. */
export const publicEndpoints = allEndpoints.filter((endpoint) => endpoint.access !== 'internal');
