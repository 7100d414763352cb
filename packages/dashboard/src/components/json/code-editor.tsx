import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json, jsonParseLinter } from '@codemirror/lang-json';
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { linter, lintGutter } from '@codemirror/lint';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, keymap, lineNumbers, placeholder as placeholderOf } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useLayoutEffect, useRef } from 'react';
import { cspNonce } from '../../app/csp-nonce.ts';
import styles from './json.module.css';

export type CodeEditorProps = {
  /** The accessible name. */
  label: string;
  value: string;
  onChange: (value: string) => void;
  language: 'json' | 'text';
  readOnly?: boolean;
  minHeight?: number;
  maxHeight?: number;
  placeholder?: string;
  /** Further extensions, such as highlighting of placeholders; a constant. */
  extensions?: Extension;
};

/** CodeMirror as a controlled field, which Tab leaves like any other. Import it lazily: it is heavy. */
export function CodeEditor(props: CodeEditorProps) {
  const {
    label,
    value,
    language,
    readOnly = false,
    minHeight = 160,
    maxHeight = 480,
    placeholder,
    extensions,
  } = props;
  const parent = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const latest = useRef(props);
  latest.current = props;

  // Before the browser paints: an empty box would let everything below jump.
  useLayoutEffect(() => {
    if (!parent.current) return;
    const changed = EditorView.updateListener.of((update) => {
      if (update.docChanged) latest.current.onChange(update.state.doc.toString());
    });
    const made = new EditorView({
      parent: parent.current,
      state: EditorState.create({
        doc: latest.current.value,
        extensions: [
          ...basics(language),
          EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
          EditorView.cspNonce.of(cspNonce() ?? ''),
          EditorState.readOnly.of(readOnly),
          EditorView.editable.of(!readOnly),
          placeholder ? placeholderOf(placeholder) : [],
          extensions ?? [],
          changed,
        ],
      }),
    });
    view.current = made;
    return () => made.destroy();
  }, [label, language, readOnly, placeholder, extensions]);

  useEffect(() => {
    const current = view.current;
    if (!current || current.state.doc.toString() === value) return;
    current.dispatch({ changes: { from: 0, to: current.state.doc.length, insert: value } });
  }, [value]);

  return (
    <div
      ref={parent}
      className={styles.editor}
      style={{ '--min-height': `${minHeight}px`, '--max-height': `${maxHeight}px` } as never}
    />
  );
}

const colors = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--code-name)' },
  { tag: tags.string, color: 'var(--code-string)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--code-value)' },
]);

function basics(language: CodeEditorProps['language']): Extension[] {
  const common = [
    history(),
    bracketMatching(),
    indentOnInput(),
    EditorView.lineWrapping,
    syntaxHighlighting(colors),
  ];
  if (language === 'text') return [...common, keymap.of([...defaultKeymap, ...historyKeymap])];
  return [
    ...common,
    lineNumbers(),
    lintGutter(),
    json(),
    linter(jsonParseLinter()),
    keymap.of([...defaultKeymap, ...historyKeymap]),
  ];
}
