import { type Extension, RangeSetBuilder } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  EditorView,
  hoverTooltip,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';
import { brokenPlaceholders, findPlaceholders } from '../model/placeholders.ts';

const KNOWN = Decoration.mark({ class: 'cm-known' });
const BROKEN = Decoration.mark({ class: 'cm-broken' });

function decorate(view: EditorView): DecorationSet {
  const text = view.state.doc.toString();
  const marks = [
    ...findPlaceholders(text).map(({ from, to }) => ({ from, to, mark: KNOWN })),
    ...brokenPlaceholders(text).map(({ from, to }) => ({ from, to, mark: BROKEN })),
  ].sort((a, b) => a.from - b.from);
  const builder = new RangeSetBuilder<Decoration>();
  for (const { from, to, mark } of marks) builder.add(from, to, mark);
  return builder.finish();
}

const highlight = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = decorate(view);
    }
    update(update: ViewUpdate) {
      if (update.docChanged) this.decorations = decorate(update.view);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

const explain = hoverTooltip((view, at) => {
  const found = findPlaceholders(view.state.doc.toString()).find(({ from, to }) => at >= from && at <= to);
  if (!found) return null;
  return {
    pos: found.from,
    end: found.to,
    create: () => {
      const dom = document.createElement('div');
      dom.style.padding = '4px 8px';
      dom.textContent = `Replaced by the call's variable “${found.name}”; empty if the call has none`;
      return { dom };
    },
  };
});

const look = EditorView.theme({
  '.cm-scroller': { fontFamily: 'inherit !important' },
  '.cm-content': { padding: '10px 12px' },
  '.cm-line': { padding: '0' },
  '.cm-placeholder': { color: 'var(--mantine-color-dimmed)' },
  '.cm-known': {
    padding: '1px 4px',
    fontWeight: '500',
    color: 'var(--mantine-primary-color-light-color)',
    backgroundColor: 'var(--mantine-primary-color-light)',
    borderRadius: '4px',
  },
  '.cm-broken': { textDecoration: 'underline wavy var(--bad)' },
  '.cm-tooltip': {
    fontSize: '0.75rem',
    color: 'var(--mantine-color-text)',
    backgroundColor: 'var(--surface)',
    border: '1px solid var(--line)',
    borderRadius: '6px',
  },
});

/** `{{placeholders}}` stand out, broken ones are underlined, and hovering says what happens with them. */
export const placeholderHighlight: Extension = [
  highlight,
  explain,
  look,
  EditorView.contentAttributes.of({ spellcheck: 'true', 'aria-multiline': 'true' }),
];
