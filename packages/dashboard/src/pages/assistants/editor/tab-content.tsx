import { Skeleton } from '@mantine/core';
import { lazy, Suspense } from 'react';
import type { Draft } from '../model/draft.ts';
import { PromptSection } from './prompt-section.tsx';
import type { TabId } from './tabs.ts';

// Every tab but the first is loaded when it is opened.
const VoiceSection = lazy(() =>
  import('./voice-section.tsx').then((module) => ({ default: module.VoiceSection })),
);
const CallSettingsSection = lazy(() =>
  import('./call-settings-section.tsx').then((module) => ({ default: module.CallSettingsSection })),
);
const ToolsSection = lazy(() =>
  import('./tools-section.tsx').then((module) => ({ default: module.ToolsSection })),
);
const KnowledgeSection = lazy(() =>
  import('./knowledge-section.tsx').then((module) => ({ default: module.KnowledgeSection })),
);
const AnalysisSection = lazy(() =>
  import('./analysis-section.tsx').then((module) => ({ default: module.AnalysisSection })),
);
const WebhookSection = lazy(() =>
  import('./webhook-section.tsx').then((module) => ({ default: module.WebhookSection })),
);
const JsonSection = lazy(() =>
  import('./json-section.tsx').then((module) => ({ default: module.JsonSection })),
);

type Props = { tab: TabId; onReplace(draft: Draft): void };

/** What is under a tab. */
export function TabContent(props: Props) {
  return (
    <Suspense fallback={<Skeleton height={320} aria-label="Loading" />}>
      <Content {...props} />
    </Suspense>
  );
}

function Content({ tab, onReplace }: Props) {
  switch (tab) {
    case 'prompt':
      return <PromptSection />;
    case 'voice':
      return <VoiceSection />;
    case 'calls':
      return <CallSettingsSection />;
    case 'tools':
      return <ToolsSection />;
    case 'knowledge':
      return <KnowledgeSection />;
    case 'analysis':
      return <AnalysisSection />;
    case 'webhook':
      return <WebhookSection />;
    case 'json':
      return <JsonSection onChange={onReplace} />;
  }
}
