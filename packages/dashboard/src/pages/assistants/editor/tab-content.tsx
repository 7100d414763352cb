import { Skeleton } from '@mantine/core';
import { Suspense } from 'react';
import { lazyComponent } from '../../../components/lazy-component.tsx';
import type { Draft } from '../model/draft.ts';
import { PromptSection } from './prompt-section.tsx';
import type { TabId } from './tabs.ts';

// Every tab but the first is loaded when it is opened.
const VoiceSection = lazyComponent(() => import('./voice-section.tsx'), 'VoiceSection');
const CallSettingsSection = lazyComponent(() => import('./call-settings-section.tsx'), 'CallSettingsSection');
const ToolsSection = lazyComponent(() => import('./tools-section.tsx'), 'ToolsSection');
const KnowledgeSection = lazyComponent(() => import('./knowledge-section.tsx'), 'KnowledgeSection');
const AnalysisSection = lazyComponent(() => import('./analysis-section.tsx'), 'AnalysisSection');
const WebhookSection = lazyComponent(() => import('./webhook-section.tsx'), 'WebhookSection');
const JsonSection = lazyComponent(() => import('./json-section.tsx'), 'JsonSection');

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
