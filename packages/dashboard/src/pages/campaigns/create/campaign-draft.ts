import type { BusinessHours, ContactInput } from '@parley/contracts';
import { instantOf } from '../../../app/zoned-time.ts';
import { joinWindows } from '../hours.ts';

/** What is typed for a new campaign, besides its contacts. */
export type CampaignDraft = {
  name: string;
  agentId: string | null;
  phoneNumber: string | null;
  hours: BusinessHours | null;
  maxRetries: number;
  /** Minutes before each retry; as many as there are retries. */
  retryMinutes: number[];
  start: 'draft' | 'now' | 'later';
  /** `2026-03-14T09:00` in the zone of the workspace. */
  startAt: string;
};

export const NEW_CAMPAIGN: CampaignDraft = {
  name: '',
  agentId: null,
  phoneNumber: null,
  hours: null,
  maxRetries: 2,
  retryMinutes: [30, 120],
  start: 'draft',
  startAt: '',
};

export const STEPS = ['Caller', 'Contacts', 'Hours and retries', 'Review'] as const;
export type StepIndex = 0 | 1 | 2 | 3;

/** What is missing in a step, by field. */
export type Problems = Partial<
  Record<'name' | 'agentId' | 'phoneNumber' | 'contacts' | 'hours' | 'retries' | 'startAt', string>
>;

type Facts = { draft: CampaignDraft; contacts: number; hasPhoneColumn: boolean; zone: string; now: Date };

export function problemsOf(step: StepIndex, { draft, contacts, hasPhoneColumn, zone, now }: Facts): Problems {
  switch (step) {
    case 0:
      return {
        ...(draft.name.trim() === '' ? { name: 'Give the campaign a name' } : {}),
        ...(draft.agentId === null ? { agentId: 'Choose who calls' } : {}),
        ...(draft.phoneNumber === null ? { phoneNumber: 'Choose a number to call from' } : {}),
      };
    case 1:
      if (contacts > 0) return {};
      return {
        contacts: hasPhoneColumn ? 'No row of the list can be called' : 'Choose a list with phone numbers',
      };
    case 2:
      return {
        ...(draft.hours && draft.hours.windows.length === 0 ? { hours: 'Choose at least one hour' } : {}),
        ...(draft.hours && draft.hours.days.length === 0 ? { hours: 'Choose at least one day' } : {}),
        ...(draft.retryMinutes.slice(0, draft.maxRetries).some((minutes) => !isMinutes(minutes))
          ? { retries: 'A retry waits 1 to 10,080 minutes (a week)' }
          : {}),
      };
    case 3:
      return startProblem(draft, zone, now);
  }
}

const MAX_MINUTES = 10_080;
const isMinutes = (minutes: number): boolean =>
  Number.isInteger(minutes) && minutes >= 1 && minutes <= MAX_MINUTES;

function startProblem({ start, startAt }: CampaignDraft, zone: string, now: Date): Problems {
  if (start !== 'later') return {};
  const at = instantOf(startAt, zone);
  if (!at) return { startAt: 'Choose a day and a time' };
  return at <= now ? { startAt: 'This time is over' } : {};
}

/** The body of the creation. */
export function toBody(
  draft: CampaignDraft,
  contacts: ContactInput[],
  { zone, skipDuplicates }: { zone: string; skipDuplicates: boolean },
) {
  const { maxRetries, retryMinutes, hours } = draft;
  const at = draft.start === 'later' ? instantOf(draft.startAt, zone) : undefined;
  return {
    campaign_name: draft.name.trim(),
    agent_id: draft.agentId ?? '',
    phone_number: draft.phoneNumber ?? '',
    max_retries: maxRetries,
    ...(maxRetries > 0 ? { retry_intervals: retryMinutes.slice(0, maxRetries) } : {}),
    business_hours: hours && { ...hours, windows: joinWindows(hours.windows) },
    ...(at ? { scheduled_at: at.toISOString() } : {}),
    skip_duplicates: skipDuplicates,
    contacts,
  };
}
