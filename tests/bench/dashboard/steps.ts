import { createApi, type Platform, type Workspace } from '@parley/testkit/stage';

/** A change from the page before: the link that is clicked, another one in each round where it leads to one of many, and what it shows. */
export type Step = { name: string; link(round: number): string; shown: string };

/** Of each kind, so that lists are as long as those of a workspace in use. */
const COUNT = 30;
const CONTACTS = 500;
/** Of these, those in the middle are in sight, whichever is first. */
const MIDDLE = 10;

/** With its data: neither a skeleton nor a former page. */
export const PAGE = (title: string) => `document.querySelector('main h1')?.textContent.startsWith('${title}')
  && !document.querySelector('main .mantine-Skeleton-root, main [role=status] .mantine-Loader-root')`;
export const NAV = (path: string) => `nav a[href="/dashboard/${path}"]`;

/** Fills the lists of a workspace, and returns the way through its pages. */
export async function pageSteps(platform: Platform, workspace: Workspace): Promise<Step[]> {
  const api = createApi(platform.url, workspace.private_key);
  const agents: string[] = [];
  const campaigns: string[] = [];
  for (let n = 0; n < COUNT; n += 1) {
    const { id } = await api.data('POST', '/v1/assistant', {
      agent_name: `Bench ${n}`,
      config: {
        systemPrompt: 'You call {{contact_name}} about {{bicycle}}. '.repeat(100),
        firstMessage: 'Hello {{contact_name}}',
        settings: { webhookUrl: `https://example.com/hook/${n}` },
      },
    });
    agents.push(id);
    await api.data('POST', '/v1/tool/custom', {
      agent_id: id,
      tool_name: `check_${n}`,
      description: 'Checks whether a day is available',
      endpoint_url: `https://example.com/tool/${n}`,
      http_method: 'POST',
    });
    await api.data('POST', '/v1/knowledge-base', { name: `Rules ${n}` });
    const phone_number = `+1555017${String(n).padStart(4, '0')}`;
    await api.data('POST', '/v1/phone-number/sip', {
      phone_number,
      termination_uri: 'sip.example.com',
      outbound_agent_id: id,
    });
    const contacts = Array.from({ length: CONTACTS }, (_, i) => ({
      phone_number: `+1555${String(n * CONTACTS + i).padStart(5, '0')}0008`,
      contact_name: `Person ${i}`,
      custom_data: { bicycle: 'tandem' },
    }));
    const made = await api.data('POST', '/v1/campaigns', {
      campaign_name: `Bench ${n}`,
      agent_id: id,
      phone_number,
      contacts,
    });
    campaigns.push(made.campaign_id);
  }
  const list = (path: string, name: string): Step => ({ name, link: () => NAV(path), shown: PAGE(name) });
  const one = (path: string, ids: readonly string[], name: string, also: string): Step => ({
    name,
    link: (round) => `main a[href="/dashboard/${path}/${ids[MIDDLE + round]}"]`,
    shown: `${PAGE('Bench')} && ${also}`,
  });
  return [
    list('assistants', 'Assistants'),
    one('assistants', agents, 'an assistant', `document.querySelector('main .cm-content')`),
    list('tools', 'Tools'),
    list('knowledge', 'Knowledge'),
    list('numbers', 'Numbers'),
    list('calls', 'Calls'),
    {
      name: 'a call',
      link: (round) => `main tr[aria-rowindex="${round + 2}"] a[data-row-link]`,
      // Seeded calls are with Ada.
      shown: PAGE('Ada'),
    },
    list('campaigns', 'Campaigns'),
    one('campaigns', campaigns, 'a campaign', `document.querySelector('main tbody tr:not([aria-hidden])')`),
    list('webhooks', 'Webhooks'),
    list('developers', 'Developers'),
    list('settings', 'Settings'),
  ];
}
