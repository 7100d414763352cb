import { Skeleton } from '@mantine/core';
import { Suspense } from 'react';
import { lazyComponent } from '../lazy-component.tsx';
import type { CodeEditorProps } from './code-editor.tsx';

const CodeEditor = lazyComponent(() => import('./code-editor.tsx'), 'CodeEditor');

/** An editor of JSON text, which is loaded when it is needed. Shows syntax errors; `onChange` gets every text, valid or not. */
export function JsonEditor(props: Omit<CodeEditorProps, 'language'>) {
  return (
    <Suspense fallback={<Skeleton height={props.minHeight ?? 160} />}>
      <CodeEditor {...props} language="json" />
    </Suspense>
  );
}
