import { Skeleton } from '@mantine/core';
import { Suspense } from 'react';
import { lazyComponent } from '../../../components/lazy-component.tsx';

type Props = {
  label: string;
  value: string;
  onChange(value: string): void;
  placeholder: string;
  minHeight: number;
  maxHeight: number;
  readOnly: boolean;
};

const PromptEditor = lazyComponent(async () => {
  const [{ CodeEditor }, { placeholderHighlight }] = await Promise.all([
    import('../../../components/json/code-editor.tsx'),
    import('./placeholder-highlight.ts'),
  ]);
  return {
    PromptEditor: (props: Props) => (
      <CodeEditor {...props} language="text" extensions={placeholderHighlight} />
    ),
  };
}, 'PromptEditor');

/** A text with `{{placeholders}}`. CodeMirror comes when it is needed; until then its place is kept. */
export function PromptField(props: Props) {
  return (
    <Suspense fallback={<Skeleton height={props.minHeight + 2} />}>
      <PromptEditor {...props} />
    </Suspense>
  );
}
