import { Button, Group, Skeleton, Stack, Stepper, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { api } from '../../../app/client.ts';
import { isNotFound } from '../../../app/describe-error.ts';
import { useZone } from '../../../app/zone.ts';
import { ErrorNote } from '../../../components/error-note.tsx';
import { lazyComponent } from '../../../components/lazy-component.tsx';
import { Page } from '../../../components/page.tsx';
import { RoleGate } from '../../../components/role-gate.tsx';
import { DraftNote } from '../../../drafts/draft-note.tsx';
import { LeaveGuard } from '../../../drafts/leave-guard.tsx';
import { SentBeforeNote } from '../../../drafts/sent-before-note.tsx';
import { useDraft } from '../../../drafts/use-draft.ts';
import { TextLink } from '../../calls/links.tsx';
import { CallerStep } from './caller-step.tsx';
import { NEW_CAMPAIGN, problemsOf, STEPS, type StepIndex } from './campaign-draft.ts';
import styles from './new-campaign-page.module.css';
import { placeholdersOf } from './placeholders.ts';
import { useCampaignCreation } from './use-campaign-creation.ts';
import { NO_LIST, useContactList } from './use-contact-list.ts';

const ContactsStep = lazyComponent(() => import('./contacts-step.tsx'), 'ContactsStep');
const ScheduleStep = lazyComponent(() => import('./schedule-step.tsx'), 'ScheduleStep');
const MessagePreview = lazyComponent(() => import('./message-preview.tsx'), 'MessagePreview');
const ReviewStep = lazyComponent(() => import('./review-step.tsx'), 'ReviewStep');

const route = getRouteApi('/shell/campaigns/new');

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
  const { change } = form;
  const isDeleted = isNotFound(assistant.error);
  useEffect(() => {
    if (isDeleted) change({ agentId: null });
  }, [isDeleted, change]);
  const list = useContactList('campaign:new:list', placeholders);
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

  const discard = () => {
    form.discard();
    list.draft.discard();
  };
  const create = useCampaignCreation({
    form,
    list: list.draft,
    contacts,
    zone,
    onCreated: (campaignId, sent, isOpen) => {
      form.settle(sent.draft, NEW_CAMPAIGN);
      list.draft.settle(sent.list, NO_LIST);
      if (isOpen)
        void navigate({ to: '/campaigns/$campaignId', params: { campaignId }, ignoreBlocker: true });
    },
  });
  const next = () => {
    if (Object.keys(problemsHere).length > 0) return setChecked(true);
    if (step < 3) return goTo((step + 1) as StepIndex);
    create.submit();
  };
  const isDirty = form.isDirty || list.draft.isDirty;
  return (
    <Page
      title="New campaign"
      trail={
        <TextLink to="/campaigns" size="sm" c="dimmed">
          Campaigns
        </TextLink>
      }
    >
      <LeaveGuard isDirty={isDirty && !create.isSuccess} what="this campaign" onDiscard={discard} />
      <DraftNote
        mb="md"
        draft={{
          isRestored: form.isRestored || list.draft.isRestored,
          discard: () => {
            const undo = [form.discard(), list.draft.discard()];
            goTo(0);
            return () => {
              for (const bringBack of undo) bringBack();
              goTo(step);
            };
          },
        }}
      />
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
            aria-label={isNarrow ? `${i + 1}: ${name}` : undefined}
            allowStepSelect={i < step}
          />
        ))}
      </Stepper>
      <div className={styles.columns}>
        <section className={`card ${styles.step}`} aria-label={STEPS[step]}>
          <h2 ref={heading} tabIndex={-1} className={styles.heading}>
            {STEPS[step]}
          </h2>
          <Suspense fallback={<Skeleton height={240} aria-label="Loading" />}>
            {step === 0 ? <CallerStep draft={draft} onChange={form.change} problems={problems} /> : null}
            {step === 1 ? <ContactsStep list={list} placeholders={placeholders} /> : null}
            {step === 2 ? (
              <ScheduleStep draft={draft} zone={zone} onChange={form.change} problems={problems} />
            ) : null}
            {step === 3 ? (
              <ReviewStep
                draft={draft}
                assistantName={assistant.data?.agent_name}
                contacts={list.skipDuplicates ? contacts.length - list.checked.repeated : contacts.length}
                badRows={bad.length}
                pace={
                  number.data?.items.find(({ phone_number }) => phone_number === draft.phoneNumber)?.max_cps
                }
                zone={zone}
                onChange={form.change}
                onEdit={goTo}
                problems={problems}
              />
            ) : null}
          </Suspense>
          {problems.contacts ? (
            <Text size="sm" c="red" mt="md" role="alert">
              {problems.contacts}
            </Text>
          ) : null}
          <SentBeforeNote of={create} />
          {create.error ? (
            <Stack mt="lg">
              <ErrorNote error={create.error} title="The campaign was not created" onRetry={create.submit} />
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
        <Suspense fallback={<Skeleton height={92} radius="md" />}>
          <MessagePreview
            firstMessage={
              draft.agentId === null ? null : assistant.data ? String(config?.firstMessage ?? '') : undefined
            }
            contacts={contacts}
            error={assistant.error}
            onRetry={() => void assistant.refetch()}
          />
        </Suspense>
      </div>
    </Page>
  );
}
