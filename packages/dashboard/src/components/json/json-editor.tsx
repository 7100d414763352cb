import { Skeleton } from '@mantine/core';
import { lazy, Suspense } from 'react';
import type { CodeEditorProps } from './code-editor.tsx';

const CodeEditor = lazy(() =>
  import('./code-editor.tsx').then(({ CodeEditor: editor }) => ({ default: editor })),
);

/** An editor of JSON text, which is loaded when it is needed. Shows syntax errors; `onChange` gets every text, valid or not. */
export function JsonEditor(props: Omit<CodeEditorProps, 'language'>) {
  return (
    <Suspense fallback={<Skeleton height={props.minHeight ?? 160} />}>
      <CodeEditor {...props} language="json" />
    </Suspense>
  );
}
