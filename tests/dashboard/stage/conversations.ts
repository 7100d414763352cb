import { eventually, type Receiver, receiver } from '@parley/testkit';
import type { Page } from 'playwright-core';
import type { Team } from './team.ts';

/** Would run if a page took any of it for more than text. */
export const HOSTILE = `"><img src=x onerror="window.hacked=true"><script>window.hacked=true</script>{{7*7}}`;

/** What a page has taken of it for more than text: elements, scripts that ran, expressions that were calculated. */
export function takenAsMore(page: Page): Promise<string[]> {
  return page.evaluate(`[
    ...[...document.querySelectorAll('img[src="x"], script:not([src])')].map((element) => element.outerHTML),
    ...(window.hacked ? ['a script ran'] : []),
    ...(document.body.innerText.includes('</script>49') ? ['an expression was calculated'] : []),
  ]`);
}

export type Conversations = {
  team: Team;
  hooks: Receiver;
  agentId: string;
  from: string;
  /** Places a call and returns its id; the last four digits select the outcome [running.2]. */
  call(to: string, variables?: Record<string, unknown>): Promise<string>;
  /** A call that is over, analyzed, and whose webhooks arrived. */
  finishedCall(to: string, variables?: Record<string, unknown>): Promise<string>;
};

const LONG = { timeoutMs: 60_000 };

/** An assistant with a tool and a webhook, whose texts are hostile wherever a client, a contact or a server can place some. */
export async function conversations(team: Team, from: string): Promise<Conversations> {
  const { api } = team;
  const hooks = await receiver();
  hooks.script('/tool', { body: { day: 'Monday', note: HOSTILE } });
  hooks.script('/hook', { body: `Thank you ${HOSTILE}` });
  const assistant = await api.data('POST', '/v1/assistant', {
    agent_name: 'Ada',
    config: {
      systemPrompt: 'You call {{contact_name}} about {{bicycle}}.',
      firstMessage: 'Hello {{contact_name}}, your {{bicycle}} is ready.',
      // Calls that never hang up by themselves [running.2] outlast the tests.
      settings: { webhookUrl: `${hooks.url}/hook`, maxCallDuration: 7_200 },
    },
  });
  await api.data('POST', '/v1/tool/custom', {
    agent_id: assistant.id,
    tool_name: 'check_availability',
    description: 'Checks whether a day is available for an appointment',
    endpoint_url: `${hooks.url}/tool`,
    http_method: 'POST',
    parameters: { type: 'object', properties: { day: { type: 'string' } } },
  });
  await api.data('POST', '/v1/phone-number/sip', {
    phone_number: from,
    termination_uri: 'sip.example.com',
    outbound_agent_id: assistant.id,
    max_cps: 50,
  });
  const call: Conversations['call'] = async (to, dynamic_variables = {}) =>
    (await api.data('POST', '/v2/call', { from_number: from, to_number: to, dynamic_variables })).id;
  return {
    team,
    hooks,
    agentId: assistant.id,
    from,
    call,
    finishedCall: async (to, variables) => {
      const id = await call(to, variables);
      await eventually(async () => {
        const events: { event: string; status: string }[] = await api.data('GET', `/v2/call/${id}/webhooks`);
        const analyzed = events.find(({ event }) => event === 'call_analyzed');
        if (analyzed?.status !== 'delivered') throw new Error(`not analyzed yet: ${JSON.stringify(events)}`);
      }, LONG);
      return id;
    },
  };
}
