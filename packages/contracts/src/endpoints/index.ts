import type { AnyEndpoint } from '../endpoint.ts';
import * as analytics from './analytics.ts';
import * as assistants from './assistants.ts';
import * as auditLog from './audit-log.ts';
import * as calls from './calls.ts';
import * as campaigns from './campaigns.ts';
import * as contacts from './contacts.ts';
import * as dashboardEvents from './dashboard-events.ts';
import * as dashboardKeys from './dashboard-keys.ts';
import * as dashboardLink from './dashboard-link.ts';
import * as dashboardMail from './dashboard-mail.ts';
import * as dashboardMembers from './dashboard-members.ts';
import * as dashboardSecondFactor from './dashboard-second-factor.ts';
import * as dashboardSessions from './dashboard-sessions.ts';
import * as dashboardSso from './dashboard-sso.ts';
import * as dashboardWorkspace from './dashboard-workspace.ts';
import * as dialConditions from './dial-conditions.ts';
import * as doNotCall from './do-not-call.ts';
import * as erasure from './erasure.ts';
import * as internal from './internal.ts';
import * as knowledgeBases from './knowledge-bases.ts';
import * as numberLinks from './number-links.ts';
import * as phoneNumbers from './phone-numbers.ts';
import * as recordings from './recordings.ts';
import * as removals from './removals.ts';
import * as retirements from './retirements.ts';
import * as simulator from './simulator.ts';
import * as sipTraces from './sip-traces.ts';
import * as speechProviders from './speech-providers.ts';
import * as testTurns from './test-turns.ts';
import * as tools from './tools.ts';
import * as webCalls from './web-calls.ts';
import * as webhookEndpoints from './webhook-endpoints.ts';
import * as webhookEvents from './webhook-events.ts';
import * as webhooks from './webhooks.ts';

export * from './analytics.ts';
export * from './assistants.ts';
export * from './audit-log.ts';
export * from './calls.ts';
export * from './campaigns.ts';
export * from './contacts.ts';
export * from './dashboard-events.ts';
export * from './dashboard-keys.ts';
export * from './dashboard-link.ts';
export * from './dashboard-mail.ts';
export * from './dashboard-members.ts';
export * from './dashboard-second-factor.ts';
export * from './dashboard-sessions.ts';
export * from './dashboard-sso.ts';
export * from './dashboard-workspace.ts';
export * from './dial-conditions.ts';
export * from './do-not-call.ts';
export * from './erasure.ts';
export * from './internal.ts';
export * from './knowledge-bases.ts';
export * from './number-links.ts';
export * from './outbox.ts';
export * from './phone-numbers.ts';
export * from './recordings.ts';
export * from './removals.ts';
export * from './retirements.ts';
export * from './secrets.ts';
export * from './simulator.ts';
export * from './sip-traces.ts';
export * from './speech-providers.ts';
export * from './stored-bytes.ts';
export * from './test-turns.ts';
export * from './tools.ts';
export * from './web-calls.ts';
export * from './webhook-endpoints.ts';
export * from './webhook-events.ts';
export * from './webhooks.ts';

/** Every endpoint of the platform, public and internal. */
export const allEndpoints: readonly AnyEndpoint[] = [
  assistants,
  testTurns,
  tools,
  knowledgeBases,
  phoneNumbers,
  calls,
  recordings,
  doNotCall,
  campaigns,
  contacts,
  webCalls,
  webhooks,
  webhookEndpoints,
  webhookEvents,
  analytics,
  auditLog,
  simulator,
  sipTraces,
  speechProviders,
  dashboardSessions,
  dashboardLink,
  dashboardSecondFactor,
  dashboardSso,
  dashboardMail,
  dashboardMembers,
  dashboardEvents,
  dashboardKeys,
  dashboardWorkspace,
  erasure,
  internal,
  dialConditions,
  retirements,
  removals,
  numberLinks,
]
  .flatMap((module) => Object.values(module) as unknown[])
  .filter(
    (value): value is AnyEndpoint =>
      typeof value === 'object' && value !== null && 'path' in value && 'envelope' in value,
  );

/** What the gateway forwards and documents. */
export const publicEndpoints = allEndpoints.filter((endpoint) => endpoint.access !== 'internal');
