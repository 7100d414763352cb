import type { ContactInput } from '@parley/contracts';
import { useMutation } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api } from '../../../app/client.ts';
import { plural } from '../../../app/format-number.ts';
import { newId } from '../../../app/new-id.ts';
import { notifyDone, notifyError } from '../../../app/notify.ts';
import { type CampaignDraft, toBody } from './campaign-draft.ts';
import type { ListDraft } from './use-contact-list.ts';

/** What the person has typed, as it was sent. */
type Sent = { draft: CampaignDraft; list: ListDraft };

type Input = {
  draft: CampaignDraft;
  contacts: ContactInput[];
  zone: string;
  skipDuplicates: boolean;
  onCreated: (campaignId: string, sent: Sent) => void;
};

/** Creates the campaign, and starts it if it shall begin now. */
export function useCampaignCreation({ draft, contacts, zone, skipDuplicates, onCreated }: Input) {
  // The same campaign that is sent again is not created twice; a changed one is another.
  const idempotencyKey = useMemo(
    () => newKey(draft, contacts, skipDuplicates),
    [draft, contacts, skipDuplicates],
  );
  return useMutation({
    mutationFn: async (sent: Sent) => {
      const body = toBody(sent.draft, contacts, { zone, skipDuplicates });
      const made = await api.campaigns.create(body, { idempotencyKey });
      if (sent.draft.start === 'now')
        await api.campaigns
          .resume(made.campaign_id)
          .catch((error: unknown) => notifyError(error, 'The campaign was created, but not started'));
      return made;
    },
    onSuccess: ({ campaign_id, total_contacts }, sent) => {
      notifyDone(`The campaign was created with ${plural(total_contacts, 'contact')}.`);
      onCreated(campaign_id, sent);
    },
  });
}

/** Random for each content. */
function newKey(..._content: unknown[]): string {
  return newId();
}
