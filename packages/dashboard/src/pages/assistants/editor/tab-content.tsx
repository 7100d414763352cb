import type { Draft } from '../model/draft.ts';
import { AnalysisSection } from './analysis-section.tsx';
import { CallSettingsSection } from './call-settings-section.tsx';
import { JsonSection } from './json-section.tsx';
import { KnowledgeSection } from './knowledge-section.tsx';
import { PromptSection } from './prompt-section.tsx';
import type { TabId } from './tabs.ts';
import { ToolsSection } from './tools-section.tsx';
import { VoiceSection } from './voice-section.tsx';
import { WebhookSection } from './webhook-section.tsx';

/** What is under a tab. */
export function TabContent({ tab, onReplace }: { tab: TabId; onReplace(draft: Draft): void }) {
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
