import type { Turn, Volume } from '../call/call.ts';
import { element, ICONS, icon } from './dom.ts';
import type { Texts } from './texts.ts';
import { createWaveform } from './waveform.ts';

export type ViewActions = {
  open(): void;
  mute(): void;
  end(): void;
  minimize(): void;
  write(text: string): void;
};

/** A button in an error or at the end. */
export type Action = { label: string; isPrimary?: boolean; act: () => void };

export type View = ReturnType<typeof createView>;

function rowOf(buttons: readonly Action[]): HTMLElement {
  const row = element('div', { class: 'actions' });
  for (const { label, isPrimary, act } of buttons) {
    const button = element(
      'button',
      { type: 'button', class: isPrimary ? 'action primary' : 'action' },
      label,
    );
    button.addEventListener('click', act);
    row.append(button);
  }
  return row;
}

/** What the widget shows, independent of calls. */
export function createView(
  texts: Texts,
  { title, label }: { title: string; label: string },
  actions: ViewActions,
) {
  const orb = (): HTMLElement => element('span', { class: 'orb', part: 'orb' }, icon(...ICONS.wave));
  const launcherText = element('span', {}, label);
  const launcherOrb = orb();
  const launcher = element(
    'button',
    { type: 'button', class: 'launcher', part: 'button' },
    launcherOrb,
    launcherText,
  );
  const dock = element('div', { class: 'dock' }, launcher);

  const heading = element('h2', { id: 'title', tabindex: '-1' }, title);
  const status = element('p', { class: 'status', role: 'status' });
  const minimize = element(
    'button',
    { type: 'button', class: 'icon', 'aria-label': texts.minimize },
    icon(...ICONS.down),
  );
  const panelOrb = orb();
  const header = element('header', {}, panelOrb, element('div', { class: 'who' }, heading, status), minimize);

  const canvas = element('canvas', { 'aria-hidden': 'true' });
  const stage = element('div', { class: 'stage' }, canvas);
  const log = element('div', {
    class: 'log',
    part: 'transcript',
    role: 'log',
    'aria-label': texts.transcript,
    tabindex: '0',
  });
  const alert = element('div', { class: 'alert', role: 'alert', hidden: '' });

  const after = element('div', { class: 'after', hidden: '' });

  const input = element('input', {
    type: 'text',
    name: 'message',
    maxlength: '2000',
    autocomplete: 'off',
    placeholder: texts.write,
    'aria-label': texts.write,
    enterkeyhint: 'send',
  });
  const send = element(
    'button',
    { type: 'submit', class: 'send', 'aria-label': texts.send },
    icon(...ICONS.send),
  );
  const form = element('form', {}, input, send);
  const muteIcon = element('span', { class: 'orb-icon' });
  const muteText = element('span', {});
  const mute = element(
    'button',
    { type: 'button', class: 'control', 'aria-pressed': 'false' },
    muteIcon,
    muteText,
  );
  const end = element('button', { type: 'button', class: 'control hang-up' }, icon(...ICONS.end), texts.end);
  const controls = element('div', { class: 'controls' }, mute, end);
  const footer = element('footer', {}, form, controls);
  const panel = element(
    'section',
    { class: 'panel', part: 'panel', role: 'dialog', 'aria-labelledby': 'title', hidden: '' },
    header,
    stage,
    log,
    alert,
    after,
    footer,
  );

  launcher.addEventListener('click', actions.open);
  mute.addEventListener('click', actions.mute);
  end.addEventListener('click', actions.end);
  minimize.addEventListener('click', actions.minimize);
  panel.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') actions.minimize();
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const text = input.value.trim();
    if (text === '') return;
    input.value = '';
    actions.write(text);
  });

  const color = (name: string): string => getComputedStyle(panel).getPropertyValue(name).trim();
  const waveform = createWaveform(canvas, () => ({
    agent: color('--accent'),
    user: color('--text-2'),
    idle: color('--line'),
  }));
  const turns = new Map<number, HTMLElement>();
  let note: HTMLElement | undefined;
  /** Written, and not heard yet. */
  let pending: HTMLElement[] = [];
  const scroll = (): void => {
    log.scrollTop = log.scrollHeight;
  };
  const removePending = (text: string): void => {
    const at = pending.findIndex(({ textContent }) => textContent === text);
    pending.splice(at, at < 0 ? 0 : 1)[0]?.remove();
  };
  const setMuted = (isMuted: boolean): void => {
    mute.setAttribute('aria-pressed', String(isMuted));
    muteText.textContent = isMuted ? texts.unmute : texts.mute;
    muteIcon.replaceChildren(icon(...(isMuted ? ICONS.muted : ICONS.microphone)));
  };
  setMuted(false);

  return {
    root: [dock, panel],
    setOpen: (isOpen: boolean): void => {
      const hadFocus = panel.contains((panel.getRootNode() as ShadowRoot).activeElement);
      panel.hidden = !isOpen;
      dock.hidden = isOpen;
      if (isOpen) heading.focus({ preventScroll: true });
      else if (hadFocus) launcher.focus({ preventScroll: true });
    },
    setLauncher: (text: string): void => {
      launcherText.textContent = text;
    },
    setStatus: (text: string): void => {
      if (status.textContent !== text) status.textContent = text;
    },
    setMuted,
    /** Which controls there are. `isWritten`: no microphone. */
    setControls: ({ isLive, isWritten }: { isLive: boolean; isWritten: boolean }): void => {
      footer.hidden = !isLive;
      mute.hidden = isWritten;
      stage.hidden = isWritten;
      minimize.setAttribute('aria-label', isLive ? texts.minimize : texts.close);
      minimize.replaceChildren(icon(...(isLive ? ICONS.down : ICONS.close)));
    },
    setVolume: (volume: Volume): void => {
      waveform.add(volume);
      for (const one of [panelOrb, launcherOrb]) one.style.setProperty('--level', volume.output.toFixed(2));
    },
    putTurn: ({ seq, role, text }: Turn): void => {
      const shown = turns.get(seq);
      if (text === '') {
        shown?.remove();
        turns.delete(seq);
        return;
      }
      const label = element(
        'span',
        { class: 'hidden-label' },
        `${role === 'user' ? texts.you : texts.assistant}: `,
      );
      if (shown) shown.replaceChildren(label, text);
      else {
        if (role === 'user') removePending(text);
        const created = element('div', { class: `turn ${role}` }, label, text);
        created.dataset.seq = String(seq);
        turns.set(seq, created);
        // A note stays the last.
        log.insertBefore(created, pending[0] ?? note ?? null);
      }
      scroll();
    },
    putPending: (text: string): void => {
      const shown = element('div', { class: 'turn user pending' }, text);
      pending.push(shown);
      log.insertBefore(shown, note ?? null);
      scroll();
    },
    setNote: (text: string | null): void => {
      note?.remove();
      note = text === null ? undefined : element('div', { class: 'note' }, text);
      if (note) log.append(note);
      scroll();
    },
    /** An error, with what can be done about it; null: none. */
    showAlert: (message: string | null, buttons: readonly Action[] = []): void => {
      alert.hidden = message === null;
      alert.replaceChildren(...(message === null ? [] : [element('p', {}, message), rowOf(buttons)]));
      after.hidden = true;
    },
    isAlerting: (): boolean => !alert.hidden,
    /** What can be done after the call. */
    setActions: (buttons: readonly Action[]): void => {
      after.hidden = false;
      after.replaceChildren(rowOf(buttons));
    },
    focusInput: (): void => input.focus(),
    clear: (): void => {
      turns.clear();
      pending = [];
      note = undefined;
      log.replaceChildren();
      waveform.clear();
    },
  };
}
