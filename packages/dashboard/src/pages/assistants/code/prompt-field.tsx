import { Skeleton } from '@mantine/core';
import { lazy, Suspense } from 'react';

type Props = {
  label: string;
  value: string;
  onChange(value: string): void;
  placeholder: string;
  minHeight: number;
  maxHeight: number;
  readOnly: boolean;
};

const Loaded = lazy(async () => {
  const [{ CodeEditor }, { placeholderHighlight }] = await Promise.all([
    import('../../../components/json/code-editor.tsx'),
    import('./placeholder-highlight.ts'),
  ]);
  return {
    default: (props: Props) => <CodeEditor {...props} language="text" extensions={placeholderHighlight} />,
  };
});

/** A text with `{{placeholders}}`. CodeMirror comes when it is needed; until then its place is kept. */
export function PromptField(props: Props) {
  return (
    <Suspense fallback={<Skeleton height={props.minHeight + 2} />}>
      <Loaded {...props} />
    </Suspense>
  );
}
