import { Button, Tabs, Text, TextInput } from '@mantine/core';
import { useHotkeys, useMediaQuery } from '@mantine/hooks';
import { IconMessage2 } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { Suspense, useCallback, useEffect, useRef, useState } from 'react';
import { lazyComponent } from '../../../components/lazy-component.tsx';
import { Page } from '../../../components/page.tsx';
import { RoleGate, useRole } from '../../../components/role-gate.tsx';
import { TextLink } from '../../../components/text-link.tsx';
import { Time } from '../../../components/time.tsx';
import { writeDraft } from '../../../drafts/draft-storage.ts';
import { LeaveGuard } from '../../../drafts/leave-guard.tsx';
import { useDraftKey } from '../../../drafts/use-draft-key.ts';
import { AssistantActions } from '../assistant-actions.tsx';
import { type Assistant, jsonDraftName } from '../model/draft.ts';
import { hasErrorBelow } from '../model/field-errors.ts';
import styles from './assistant-editor.module.css';
import { EditorContext, useEditor } from './editor-context.ts';
import { EditorNotes } from './editor-notes.tsx';
import { TabContent } from './tab-content.tsx';
import { TABS, tabOfErrors } from './tabs.ts';
import { type DraftState, useAssistantDraft } from './use-assistant-draft.ts';

const TestPane = lazyComponent(() => import('../test/test-pane.tsx'), 'TestPane');
const route = getRouteApi('/shell/assistants/$id');
/** Parts in which a viewer can open or copy something. */
const LOCKS_ITSELF: ReadonlySet<string> = new Set(['tools', 'json']);

/** Edits an assistant in tabs, with a test of the draft beside. */
export function AssistantEditor({ current, failure }: { current: Assistant; failure: unknown }) {
  const state = useAssistantDraft(current);
  const { tab = 'prompt' } = route.useSearch();
  const navigate = route.useNavigate();
  const { reason } = useRole('developer');
  const isWide = useMediaQuery('(min-width: 1180px)', true, { getInitialValueInEffect: false });
  // Beside the editor from the beginning; where it would cover it, only when asked for.
  const [testing, setTesting] = useState({ beside: true, above: false });
  const isTesting = isWide ? testing.beside : testing.above;
  const toggleTest = () =>
    setTesting((now) => (isWide ? { ...now, beside: !now.beside } : { ...now, above: !now.above }));
  const { base, draft, errors, get, set, isDirty } = state;
  const invalidJsonKey = useDraftKey(jsonDraftName(base.id));
  const discardAll = () => {
    state.discard();
    writeDraft(invalidJsonKey, undefined);
  };
  const save = useSave(state, (id) => void navigate({ search: { tab: id }, replace: true }));

  const pane = (
    <Suspense>
      <TestPane base={base} draft={draft} isDirty={isDirty} onClose={toggleTest} />
    </Suspense>
  );
  return (
    <EditorContext value={{ base, draft, errors, lockedBecause: reason, get, set }}>
      <div className={styles.editor} data-testing={(isTesting && isWide) || undefined}>
        <div className={styles.main}>
          <Page
            title={draft.agent_name.trim() || 'Without a name'}
            trail={
              <TextLink to="/assistants" size="sm">
                Assistants
              </TextLink>
            }
            actions={
              <>
                <SaveState state={state} />
                <Button
                  variant="default"
                  leftSection={<IconMessage2 size={16} />}
                  onClick={toggleTest}
                  aria-pressed={isTesting}
                >
                  Test
                </Button>
                <RoleGate minimum="developer">
                  <Button
                    title="Ctrl+S"
                    aria-keyshortcuts="Control+S Meta+S"
                    loading={state.isSaving}
                    disabled={!isDirty && reason === undefined}
                    onClick={() => void save()}
                  >
                    Save
                  </Button>
                </RoleGate>
                <AssistantActions id={base.id} name={base.agent_name} onDelete={state.discard} isLarge />
              </>
            }
          >
            <LeaveGuard isDirty={isDirty} onDiscard={discardAll} what="this assistant" />
            <EditorNotes state={state} readFailure={failure} lockedBecause={reason} />
            <Tabs
              value={tab}
              onChange={(id) =>
                void navigate({ search: { tab: TABS.find((known) => known.id === id)?.id }, replace: true })
              }
              keepMounted={false}
            >
              <Tabs.List className={styles.tabs}>
                {TABS.map(({ id, label, paths }) => (
                  <Tabs.Tab key={id} value={id} ref={id === tab ? intoView : undefined}>
                    {label}
                    {paths.some((path) => hasErrorBelow(errors, path)) && (
                      <span className={styles.wrong}>
                        <span className="visually-hidden"> has errors</span>
                      </span>
                    )}
                  </Tabs.Tab>
                ))}
              </Tabs.List>
              {TABS.map(({ id }) => (
                <Tabs.Panel key={id} value={id} pt="lg">
                  <fieldset
                    disabled={reason !== undefined && !LOCKS_ITSELF.has(id)}
                    className={styles.fields}
                  >
                    {id === 'prompt' && <NameField />}
                    <TabContent tab={id} onReplace={state.replaceDraft} />
                  </fieldset>
                </Tabs.Panel>
              ))}
            </Tabs>
          </Page>
        </div>
        {(testing.beside || testing.above) && (
          <div className={isWide ? styles.test : styles.overlay} hidden={!isTesting}>
            {pane}
          </div>
        )}
      </div>
    </EditorContext>
  );
}

/** On narrow windows the chosen tab may be outside of the row. */
function intoView(element: HTMLElement | null): void {
  const row = element?.parentElement;
  if (element && row) row.scrollLeft = element.offsetLeft - (row.clientWidth - element.offsetWidth) / 2;
}

function NameField() {
  const { draft, set, errors } = useEditor();
  return (
    <TextInput
      label="Name"
      description="For you and your colleagues. Callers only hear it if the prompt says it."
      value={draft.agent_name}
      onChange={(event) => set('agent_name', event.currentTarget.value)}
      error={errors.agent_name}
      data-path="agent_name"
      maxLength={255}
      maw={480}
      mb="lg"
    />
  );
}

function SaveState({ state }: { state: DraftState }) {
  const { isDirty, isSaving, base } = state;
  return (
    <Text size="sm" c={isDirty ? 'var(--warn)' : 'dimmed'} role="status" className={styles.state}>
      {isSaving ? (
        'Saving …'
      ) : isDirty ? (
        'Unsaved changes'
      ) : (
        <>
          Saved <Time at={base.updated_at} as="relative" />
        </>
      )}
    </Text>
  );
}

/** Saves by the button and by the keyboard, and leads to the first error. */
function useSave(state: DraftState, onErrorIn: (tab: NonNullable<ReturnType<typeof tabOfErrors>>) => void) {
  const { save, errors, isDirty, isSaving } = state;
  const lead = useRef(onErrorIn);
  lead.current = onErrorIn;
  const { isAllowed } = useRole('developer');
  useEffect(() => {
    const tab = tabOfErrors(errors);
    if (!tab || isSaving) return;
    lead.current(tab);
    const path = Object.keys(errors)[0] ?? '';
    const timer = setTimeout(
      () => document.querySelector<HTMLElement>(`[data-path="${CSS.escape(path)}"]`)?.focus(),
      100,
    );
    return () => clearTimeout(timer);
  }, [errors, isSaving]);
  const run = useCallback(async () => {
    if (isDirty && !isSaving && isAllowed) await save();
  }, [isDirty, isSaving, isAllowed, save]);
  useHotkeys([['mod+S', () => void run()]], [], true);
  return run;
}
