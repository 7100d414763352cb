import { Page } from '../../components/page.tsx';

export function NumbersPage() {
  return <Page title="Numbers">{null}</Page>;
}
