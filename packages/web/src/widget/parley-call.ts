import type { Call } from '../call/call.ts';
import { CallError, type CallErrorCode } from '../call/call-error.ts';
import { joinCall, startCall } from '../call/start-call.ts';
import { createResume, holdCall, type Resumable } from './resume.ts';
import { STYLES } from './styles.ts';
import { type Texts, textsFor } from './texts.ts';
import { type Action, createView, type View } from './view.ts';

/** The origin that the script was loaded from is the server. */
const SCRIPT_ORIGIN = (document.currentScript as HTMLScriptElement | null)?.src;

const SAVE_EVERY_MS = 2_000;
const SPEAKING_ABOVE = 0.06;
/** Errors after which writing may still work. */
const OF_MICROPHONE: ReadonlySet<CallErrorCode> = new Set([
  'no_microphone',
  'microphone_denied',
  'microphone_blocked',
]);

/**
 * `<parley-call public-key="svc_pub_…" agent-id="…">`, with `base-url`, `label`, `heading`, `lang`, `mode` (`audio`, `text`), `variables`
 * (JSON), `placement` (`right`, `left`, `inline`) and `theme` (`auto`, `light`, `dark`). Dispatches `parley-state`, `parley-end` and
 * `parley-error`.
 */
export class ParleyCall extends HTMLElement {
  private readonly shadow = this.attachShadow({ mode: 'open' });
  private view: View | undefined;
  private texts: Texts = textsFor([]).texts;
  private call: Call | undefined;
  private isStarting = false;
  private isUsingTool = false;
  private timers: ReturnType<typeof setInterval>[] = [];
  private activeSinceMs: number | undefined;
  private release = (): void => {};

  connectedCallback(): void {
    if (this.view) return;
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLES);
    this.shadow.adoptedStyleSheets = [sheet];
    const closest = this.closest('[lang]')?.getAttribute('lang');
    const { language, texts } = textsFor([...(closest ? [closest] : []), ...navigator.languages]);
    this.texts = texts;
    const names = {
      title: this.getAttribute('heading') ?? texts.title,
      label: this.getAttribute('label') ?? texts.talk,
    };
    this.view = createView(texts, names, {
      open: () => void this.open(),
      mute: () => this.toggleMute(),
      end: () => void this.call?.end(),
      minimize: () => this.minimize(),
      write: (text) => void this.write(text),
    });
    for (const part of this.view.root) {
      part.lang = language;
      this.shadow.append(part);
    }
    const resumable = this.resume.find();
    if (resumable) void this.goOn(resumable);
  }

  private async goOn({ activeSinceMs, ...resumable }: Resumable): Promise<void> {
    if (await this.hold(resumable.participant))
      await this.begin(() => joinCall({ baseUrl: this.baseUrl, ...resumable }), activeSinceMs);
  }

  private async hold(participant: string): Promise<boolean> {
    const release = await holdCall(participant);
    this.release = release ?? this.release;
    return release !== undefined;
  }

  disconnectedCallback(): void {
    void this.call?.end();
  }

  private get baseUrl(): string {
    return this.getAttribute('base-url') ?? new URL(SCRIPT_ORIGIN ?? location.href).origin;
  }

  private get resume() {
    return createResume(this.getAttribute('agent-id') ?? '');
  }

  private get isLive(): boolean {
    return this.isStarting || (this.call !== undefined && this.call.state !== 'ended');
  }

  private open(): void {
    this.view?.setOpen(true);
    if (!this.isLive) this.start(this.getAttribute('mode') === 'text' ? 'text' : 'audio');
  }

  private start(mode: 'audio' | 'text'): void {
    void this.begin(async () => {
      const call = await startCall({
        baseUrl: this.baseUrl,
        publicKey: this.getAttribute('public-key') ?? '',
        agentId: this.getAttribute('agent-id') ?? '',
        variables: JSON.parse(this.getAttribute('variables') ?? '{}'),
        mode,
      });
      void this.hold(call.resume.participant);
      return call;
    });
  }

  private async begin(make: () => Promise<Call>, activeSinceMs?: number): Promise<void> {
    const { view, texts } = this;
    if (!view || this.isLive) return;
    this.isStarting = true;
    view.clear();
    view.showAlert(null);
    view.setMuted(false);
    view.setStatus(texts.connecting);
    view.setControls({ isLive: false, isWritten: false });
    view.setOpen(true);
    try {
      const call = await make();
      // Removed meanwhile, as by navigation within the page: the visitor could neither mute it nor hang up.
      if (this.isConnected) this.follow(call, activeSinceMs);
      else await call.end();
    } catch (err) {
      this.fail(err instanceof CallError ? err : new CallError('unavailable', String(err)));
    } finally {
      this.isStarting = false;
    }
  }

  private follow(call: Call, activeSinceMs?: number): void {
    const { view, texts } = this;
    if (!view) return;
    this.call = call;
    this.activeSinceMs = activeSinceMs;
    const isWritten = call.mode === 'text';
    view.setControls({ isLive: true, isWritten });
    if (isWritten && this.getAttribute('mode') !== 'text') view.setNote(texts.onlyText);
    const save = () => this.resume.save({ ...call.resume, activeSinceMs: this.activeSinceMs });
    save();
    this.timers = [setInterval(save, SAVE_EVERY_MS), setInterval(() => this.showTime(), 1_000)];
    let output = 0;
    call.on('state', (state) => {
      if (state === 'active') {
        this.activeSinceMs ??= Date.now();
        save();
        if (isWritten) view.focusInput();
      }
      this.showStatus(output);
      this.emit('parley-state', { state });
    });
    call.on('transcript', (turn) => view.putTurn(turn));
    call.on('tool', ({ status }) => {
      this.isUsingTool = status === 'running';
      view.setNote(this.isUsingTool ? texts.usesTool : null);
    });
    call.on('volume', (volume) => {
      output = Math.max(volume.output, output * 0.8);
      view.setVolume(call.muted ? { ...volume, input: 0 } : volume);
      this.showStatus(output);
    });
    call.on('error', (error) => this.fail(error));
    call.on('end', ({ reason }) => {
      // After an error the visitor may have begun another call already.
      if (this.call === call && !this.isStarting) this.finish();
      this.emit('parley-end', { reason });
    });
    this.showStatus(0);
  }

  private showStatus(output: number): void {
    const { call, view, texts } = this;
    if (!call || !view) return;
    const active = (): string => {
      if (call.mode === 'text') return texts.writing;
      if (output > SPEAKING_ABOVE) return texts.speaking;
      return call.muted ? texts.muted : texts.listening;
    };
    const byState = {
      connecting: texts.connecting,
      active: active(),
      reconnecting: texts.reconnecting,
      ended: texts.ended,
    };
    view.setStatus(byState[call.state]);
  }

  private showTime(): void {
    if (this.activeSinceMs === undefined) return;
    // The clock may have been set back.
    const seconds = Math.max(0, Math.floor((Date.now() - this.activeSinceMs) / 1_000));
    const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
    this.view?.setLauncher(`${this.texts.inCall} · ${time}`);
  }

  private finish(): void {
    const { view, texts } = this;
    this.stopTimers();
    if (view?.isAlerting()) return;
    view?.setStatus(texts.ended);
    view?.setControls({ isLive: false, isWritten: this.call?.mode === 'text' });
    view?.setNote(null);
    view?.setActions([{ label: texts.again, isPrimary: true, act: () => this.open() }]);
  }

  private fail(error: CallError): void {
    const { view, texts } = this;
    this.stopTimers();
    view?.setStatus('');
    view?.setNote(null);
    view?.setControls({ isLive: false, isWritten: true });
    const buttons: Action[] = [];
    if (OF_MICROPHONE.has(error.code))
      buttons.push({ label: texts.writeInstead, isPrimary: true, act: () => this.start('text') });
    if (error.code !== 'not_allowed') buttons.push({ label: texts.retry, act: () => this.open() });
    view?.showAlert(texts.errors[error.code], buttons);
    this.emit('parley-error', { code: error.code, message: error.message });
  }

  private stopTimers(): void {
    for (const timer of this.timers.splice(0)) clearInterval(timer);
    this.resume.forget();
    this.release();
    this.view?.setLauncher(this.getAttribute('label') ?? this.texts.talk);
  }

  private toggleMute(): void {
    const { call, view } = this;
    if (!call) return;
    call.mute(!call.muted);
    view?.setMuted(call.muted);
    this.showStatus(0);
  }

  private minimize(): void {
    this.view?.setOpen(false);
  }

  private async write(text: string): Promise<void> {
    this.view?.putPending(text);
    try {
      await this.call?.sendText(text);
    } catch (err) {
      this.view?.setNote(err instanceof CallError ? this.texts.errors[err.code] : String(err));
    }
  }

  private emit(name: string, detail: object): void {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
  }
}
