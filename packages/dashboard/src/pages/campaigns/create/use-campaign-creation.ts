import type { ContactInput } from '@parley/contracts';
import { api } from '../../../app/client.ts';
import { plural } from '../../../app/format-number.ts';
import { notifyDone, notifyError } from '../../../app/notify.ts';
import type { Draft } from '../../../drafts/use-draft.ts';
import { useSend } from '../../../drafts/use-send.ts';
import { type CampaignDraft, toBody } from './campaign-draft.ts';
import type { ListDraft } from './use-contact-list.ts';

/** What the person has typed, as it was sent. */
type Sent = { draft: CampaignDraft; list: ListDraft };

type Created = Awaited<ReturnType<typeof api.campaigns.create>>;

type Input = {
  form: Draft<CampaignDraft>;
  list: Draft<ListDraft>;
  contacts: ContactInput[];
  zone: string;
  onCreated: (campaignId: string, sent: Sent, isOpen: boolean) => void;
};

/** Creates the campaign, and starts it if it shall begin now. */
export function useCampaignCreation({ form, list, contacts, zone, onCreated }: Input) {
  const both = {
    key: form.key,
    value: { draft: form.value, list: list.value },
    sending: () => {
      const [{ idempotencyKey, at }, ofList] = [form.sending(), list.sending()];
      return { idempotencyKey: `${idempotencyKey}:${ofList.idempotencyKey}`, at };
    },
  };
  return useSend<Sent, Created>(both, {
    subject: ({ draft }) => `Campaign “${draft.name.trim()}”`,
    send: async (sent, request) => {
      const body = toBody(sent.draft, contacts, { zone, skipDuplicates: sent.list.skipDuplicates });
      const made = await api.campaigns.create(body, request);
      if (sent.draft.start === 'now')
        await api.campaigns
          .resume(made.campaign_id)
          .catch((error: unknown) => notifyError(error, 'The campaign was created, but not started'));
      return made;
    },
    onSuccess: ({ campaign_id, total_contacts }, sent, isOpen) => {
      notifyDone(`The campaign was created with ${plural(total_contacts, 'contact')}.`);
      onCreated(campaign_id, sent, isOpen);
    },
  });
}
