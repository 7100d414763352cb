import { Page } from '../../components/page.tsx';

export function DevelopersPage() {
  return <Page title="Developers">{null}</Page>;
}
