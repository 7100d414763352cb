import { Page } from '../../components/page.tsx';

export function AssistantsPage() {
  return <Page title="Assistants">{null}</Page>;
}
