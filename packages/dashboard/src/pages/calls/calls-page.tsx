import { Page } from '../../components/page.tsx';

export function CallsPage() {
  return <Page title="Calls">{null}</Page>;
}
