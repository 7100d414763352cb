import { analyticsExamples } from './analytics.ts';
import { assistantExamples } from './assistants.ts';
import { callExamples } from './calls.ts';
import { campaignExamples } from './campaigns.ts';
import { dashboardExamples } from './dashboard.ts';
import { eventExamples } from './events.ts';
import { webhookExamples } from './webhooks.ts';

/** For the OpenAPI document: a successful response of each public endpoint with a JSON body, and each event that is sent. */
export const examples: ReadonlyMap<string, unknown> = new Map([
  ...analyticsExamples,
  ...assistantExamples,
  ...callExamples,
  ...campaignExamples,
  ...dashboardExamples,
  ...eventExamples,
  ...webhookExamples,
]);
