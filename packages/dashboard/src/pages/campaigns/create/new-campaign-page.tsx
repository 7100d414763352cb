import { Alert, Button, Group, Stack, Stepper, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState } from 'react';
import { api } from '../../../app/client.ts';
import { plural } from '../../../app/format-number.ts';
import { notifyDone, notifyError } from '../../../app/notify.ts';
import { useZone } from '../../../app/zone.ts';
import { ErrorNote } from '../../../components/error-note.tsx';
import { Page } from '../../../components/page.tsx';
import { RoleGate } from '../../../components/role-gate.tsx';
import { LeaveGuard } from '../../../drafts/leave-guard.tsx';
import { useDraft } from '../../../drafts/use-draft.ts';
import { TextLink } from '../../calls/links.tsx';
import { CallerStep } from './caller-step.tsx';
import { NEW_CAMPAIGN, problemsOf, STEPS, type StepIndex, toBody } from './campaign-draft.ts';
import { ContactsStep } from './contacts-step.tsx';
import { MessagePreview } from './message-preview.tsx';
import styles from './new-campaign-page.module.css';
import { placeholdersOf } from './placeholders.ts';
import { ReviewStep } from './review-step.tsx';
import { ScheduleStep } from './schedule-step.tsx';
import { type Source, useContactList } from './use-contact-list.ts';

const route = getRouteApi('/shell/campaigns/new');
/** A larger list is not stored in this browser: it is chosen again after the page was left. */
const MAX_STORED_CHARACTERS = 300_000;

/** A campaign in four steps, with the first message of each contact beside them. */
export function NewCampaignPage() {
  const navigate = route.useNavigate();
  const zone = useZone();
  const form = useDraft('campaign:new', NEW_CAMPAIGN);
  const draft = form.value;
  const [step, setStep] = useState<StepIndex>(0);
  const [isChecked, setChecked] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  const isNarrow = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false });

  const assistant = useQuery({
    queryKey: ['assistant', draft.agentId],
    queryFn: ({ signal }) => api.assistants.get(draft.agentId ?? '', { signal }),
    enabled: draft.agentId !== null,
  });
  const config = draft.agentId === null ? undefined : assistant.data?.config;
  const placeholders = useMemo(
    () => placeholdersOf(`${config?.firstMessage ?? ''} ${config?.systemPrompt ?? ''}`),
    [config],
  );
  const sourceDraft = useStoredSource();
  const list = useContactList(placeholders, sourceDraft.state);
  const { contacts, bad } = list.checked;
  const number = useQuery({
    queryKey: ['numbers', 'pace', draft.phoneNumber],
    queryFn: ({ signal }) => api.phoneNumbers.list({ search: draft.phoneNumber ?? '', size: 1 }, { signal }),
    enabled: draft.phoneNumber !== null,
  });

  const facts = {
    draft,
    contacts: contacts.length,
    hasPhoneColumn: list.columns.some(({ use }) => use === 'phone'),
    zone,
    now: new Date(),
  };
  const problemsHere = problemsOf(step, facts);
  const problems = isChecked ? problemsHere : {};
  const goTo = (next: StepIndex) => {
    setChecked(false);
    setStep(next);
  };
  useEffect(() => {
    // After a step the focus would be on a button that is gone.
    if (step > 0) heading.current?.focus();
  }, [step]);

  // The same campaign that is sent again is not created twice; a changed one is another.
  const idempotencyKey = useMemo(newKey, [draft, contacts, list.skipDuplicates]);
  const create = useMutation({
    mutationFn: async () => {
      const body = toBody(draft, contacts, { zone, skipDuplicates: list.skipDuplicates });
      const made = await api.campaigns.create(body, { idempotencyKey });
      if (draft.start === 'now')
        await api.campaigns
          .resume(made.campaign_id)
          .catch((error) => notifyError(error, 'Created, but not started'));
      return made;
    },
    onSuccess: (made) => {
      form.discard();
      sourceDraft.discard();
      notifyDone(`The campaign was created with ${plural(made.total_contacts, 'contact')}.`);
      void navigate({
        to: '/campaigns/$campaignId',
        params: { campaignId: made.campaign_id },
        ignoreBlocker: true,
      });
    },
  });
  const next = () => {
    if (Object.keys(problemsHere).length > 0) return setChecked(true);
    if (step < 3) return goTo((step + 1) as StepIndex);
    create.mutate();
  };
  const isDirty = form.isDirty || list.source !== undefined;
  return (
    <Page
      title="New campaign"
      trail={
        <TextLink to="/campaigns" size="sm" c="dimmed">
          Campaigns
        </TextLink>
      }
    >
      <LeaveGuard
        isDirty={isDirty && !create.isSuccess}
        what="this campaign"
        onDiscard={() => {
          form.discard();
          sourceDraft.discard();
        }}
      />
      {form.isRestored ? (
        <Alert variant="light" mb="md" p="xs" withCloseButton={false}>
          <Group justify="space-between">
            <Text size="sm">This goes on from where you left.</Text>
            <Button
              size="compact-sm"
              variant="subtle"
              onClick={() => {
                form.discard();
                sourceDraft.discard();
                goTo(0);
              }}
            >
              Start over
            </Button>
          </Group>
        </Alert>
      ) : null}
      <Stepper
        active={step}
        onStepClick={(to) => to < step && goTo(to as StepIndex)}
        size="sm"
        iconSize={30}
        orientation="horizontal"
        mb="lg"
        className={styles.stepper}
      >
        {STEPS.map((name, i) => (
          <Stepper.Step
            key={name}
            label={isNarrow ? undefined : name}
            aria-label={`Step ${i + 1}: ${name}`}
            allowStepSelect={i < step}
          />
        ))}
      </Stepper>
      <div className={styles.columns}>
        <section className={`card ${styles.step}`} aria-label={STEPS[step]}>
          <h2 ref={heading} tabIndex={-1} className={styles.heading}>
            {STEPS[step]}
          </h2>
          {step === 0 ? (
            <CallerStep
              draft={draft}
              onChange={(changed) => form.set((former) => ({ ...former, ...changed }))}
              problems={problems}
            />
          ) : null}
          {step === 1 ? <ContactsStep list={list} placeholders={placeholders} /> : null}
          {step === 2 ? (
            <ScheduleStep
              draft={draft}
              zone={zone}
              onChange={(changed) => form.set((former) => ({ ...former, ...changed }))}
              problems={problems}
            />
          ) : null}
          {step === 3 ? (
            <ReviewStep
              draft={draft}
              assistantName={assistant.data?.agent_name}
              contacts={list.skipDuplicates ? contacts.length - list.checked.repeated : contacts.length}
              badRows={bad.length}
              pace={number.data?.items[0]?.max_cps}
              zone={zone}
              onChange={(changed) => form.set((former) => ({ ...former, ...changed }))}
              onEdit={goTo}
              problems={problems}
            />
          ) : null}
          {problems.contacts ? (
            <Text size="sm" c="red" mt="md" role="alert">
              {problems.contacts}
            </Text>
          ) : null}
          {create.isError ? (
            <Stack mt="lg">
              <ErrorNote
                error={create.error}
                title="The campaign was not created"
                onRetry={() => create.mutate()}
              />
            </Stack>
          ) : null}
          <Group justify="space-between" mt="xl">
            <Button variant="default" disabled={step === 0} onClick={() => goTo((step - 1) as StepIndex)}>
              Back
            </Button>
            {step < 3 ? (
              <Button onClick={next}>Next</Button>
            ) : (
              <RoleGate minimum="developer">
                <Button onClick={next} loading={create.isPending}>
                  {draft.start === 'now' ? 'Create and start' : 'Create campaign'}
                </Button>
              </RoleGate>
            )}
          </Group>
        </section>
        <MessagePreview
          firstMessage={
            draft.agentId === null ? null : assistant.data ? String(config?.firstMessage ?? '') : undefined
          }
          contacts={contacts}
        />
      </div>
    </Page>
  );
}

const NO_SOURCE: { source: Source | null } = { source: null };

/** The list of contacts as typed or chosen; stored in this browser unless it is large. */
function useStoredSource() {
  const stored = useDraft('campaign:new:list', NO_SOURCE);
  const [large, setLarge] = useState<Source>();
  const setSource = (source: Source | undefined) => {
    const isLarge = source !== undefined && source.text.length > MAX_STORED_CHARACTERS;
    setLarge(isLarge ? source : undefined);
    stored.set({ source: isLarge ? null : (source ?? null) });
  };
  return {
    state: [large ?? stored.value.source ?? undefined, setSource] as [
      Source | undefined,
      (source: Source | undefined) => void,
    ],
    discard: () => {
      setLarge(undefined);
      stored.discard();
    },
  };
}

/** Random, also where a page without HTTPS has no `crypto.randomUUID`. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}
