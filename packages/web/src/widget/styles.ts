const DARK = `
  color-scheme: dark;
  --accent: var(--parley-accent, #6d63f5);
  --surface: var(--parley-surface, #17171f);
  --surface-2: var(--parley-surface-2, #23232e);
  --text: var(--parley-text, #f4f4f8);
  --text-2: var(--parley-text-2, #a9a9ba);
  --line: var(--parley-line, #2f2f3d);
  --danger: var(--parley-danger, #e5484d);
  --shadow: var(--parley-shadow, 0 1px 2px rgb(0 0 0 / .4), 0 18px 48px -12px rgb(0 0 0 / .7));
`;

/** Themable by the custom properties of `:host`, which a page sets on `parley-call`. */
export const STYLES = `
:host {
  --accent: var(--parley-accent, #4f46e5);
  --accent-2: var(--parley-accent-2, #a855f7);
  --on-accent: var(--parley-on-accent, #fff);
  --surface: var(--parley-surface, #ffffff);
  --surface-2: var(--parley-surface-2, #f4f4f8);
  --text: var(--parley-text, #17171f);
  --text-2: var(--parley-text-2, #5b5b6b);
  --line: var(--parley-line, #e4e4ec);
  --danger: var(--parley-danger, #d0293d);
  --radius: var(--parley-radius, 20px);
  --shadow: var(--parley-shadow, 0 1px 2px rgb(15 15 35 / .08), 0 18px 48px -12px rgb(15 15 35 / .28));
  color-scheme: light;
  display: block;
  position: fixed;
  right: max(20px, env(safe-area-inset-right));
  bottom: max(20px, env(safe-area-inset-bottom));
  z-index: var(--parley-z-index, 2147483000);
  font: 400 15px/1.45 var(--parley-font, system-ui, -apple-system, "Segoe UI", Roboto, sans-serif);
  color: var(--text);
}
:host([placement="left"]) { right: auto; left: max(20px, env(safe-area-inset-left)); }
:host([placement="inline"]) { position: static; z-index: auto; }
:host([hidden]) { display: none; }
:host([theme="dark"]) {${DARK}}
@media (prefers-color-scheme: dark) {
  :host(:not([theme="light"])) {${DARK}}
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
button, input { font: inherit; color: inherit; }
button { cursor: pointer; border: 0; background: none; padding: 0; }
button:disabled { cursor: default; opacity: .5; }
:focus { outline: none; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
svg { width: 20px; height: 20px; fill: none; stroke: currentColor; stroke-width: 1.9; stroke-linecap: round; stroke-linejoin: round; }

.launcher {
  display: inline-flex; align-items: center; gap: 10px;
  margin-left: auto; padding: 8px 20px 8px 8px; min-height: 52px;
  border-radius: 999px; background: var(--surface); color: var(--text);
  border: 1px solid var(--line); box-shadow: var(--shadow); font-weight: 600;
  transition: transform .16s ease, box-shadow .16s ease;
}
.launcher:hover { transform: translateY(-1px); }
.launcher:active { transform: none; }
.orb {
  position: relative; display: grid; place-items: center; flex: none;
  width: 36px; height: 36px; border-radius: 50%; color: var(--on-accent);
  background: linear-gradient(135deg, var(--accent), var(--accent-2));
}
.orb::before {
  content: ""; position: absolute; inset: 0; border-radius: inherit; background: inherit; z-index: -1;
  opacity: .35; transform: scale(calc(1 + var(--level, 0) * .55)); transition: transform 90ms linear;
}
.orb svg { width: 18px; height: 18px; }
:host([placement]:not([placement="right"])) .launcher { margin-left: 0; }
.dock { display: flex; justify-content: flex-end; }
:host([placement="left"]) .dock, :host([placement="inline"]) .dock { justify-content: flex-start; }

.panel {
  display: flex; flex-direction: column; width: 372px; max-width: calc(100vw - 24px);
  height: min(560px, calc(100dvh - 40px)); overflow: hidden;
  border-radius: var(--radius); background: var(--surface); border: 1px solid var(--line); box-shadow: var(--shadow);
  animation: rise .22s cubic-bezier(.2, .8, .2, 1);
}
@keyframes rise { from { opacity: 0; transform: translateY(10px) scale(.985); } }
header { display: flex; align-items: center; gap: 12px; padding: 16px 12px 12px 18px; }
.who { flex: 1; min-width: 0; }
h2 { margin: 0; font-size: 16px; font-weight: 650; line-height: 1.3; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.status { margin: 0; font-size: 13px; color: var(--text-2); min-height: 19px; font-variant-numeric: tabular-nums; }
.icon { display: grid; place-items: center; width: 40px; height: 40px; border-radius: 12px; color: var(--text-2); flex: none; }
.icon:hover { background: var(--surface-2); color: var(--text); }
.stage { position: relative; margin: 0 18px; height: 84px; border-radius: 14px; background: var(--surface-2); overflow: hidden; flex: none; }
canvas { display: block; width: 100%; height: 100%; }
.log { flex: 1; min-height: 0; overflow-y: auto; padding: 14px 18px; display: flex; flex-direction: column; gap: 8px; scroll-behavior: smooth; overscroll-behavior: contain; }
.turn { max-width: 86%; padding: 9px 13px; border-radius: 16px; overflow-wrap: anywhere; animation: rise .18s ease; }
.agent { align-self: flex-start; background: var(--surface-2); border-bottom-left-radius: 5px; }
.user { align-self: flex-end; background: var(--accent); color: var(--on-accent); border-bottom-right-radius: 5px; }
.pending { opacity: .6; }
.note { align-self: center; color: var(--text-2); font-size: 13px; text-align: center; }
.hidden-label { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.alert { margin: 4px 18px 12px; padding: 12px 14px; border-radius: 14px; border: 1px solid color-mix(in srgb, var(--danger) 45%, transparent); background: color-mix(in srgb, var(--danger) 9%, var(--surface)); }
.alert p { margin: 0; }
.actions { display: flex; flex-wrap: wrap; gap: 8px; margin-top: 10px; }
.action { min-height: 40px; padding: 8px 14px; border-radius: 11px; font-weight: 600; background: var(--surface); border: 1px solid var(--line); }
.action:hover { background: var(--surface-2); }
.primary { background: var(--accent); border-color: transparent; color: var(--on-accent); }
.primary:hover { background: color-mix(in srgb, var(--accent) 88%, #000); }
.after { padding: 0 18px 18px; }
.after .actions { margin: 0; }
.after .action { flex: 1; min-height: 46px; border-radius: 14px; }
footer { padding: 12px 18px 18px; border-top: 1px solid var(--line); display: flex; flex-direction: column; gap: 12px; }
form { display: flex; gap: 8px; margin: 0; }
input { flex: 1; min-width: 0; min-height: 44px; padding: 9px 14px; border-radius: 13px; border: 1px solid var(--line); background: var(--surface-2); font-size: 16px; }
input::placeholder { color: var(--text-2); opacity: 1; }
.send { display: grid; place-items: center; width: 44px; height: 44px; border-radius: 13px; background: var(--surface-2); border: 1px solid var(--line); flex: none; }
.send:not(:disabled):hover { background: var(--accent); color: var(--on-accent); border-color: transparent; }
.controls { display: flex; gap: 10px; }
.orb-icon { display: grid; }
.control { flex: 1; display: inline-flex; align-items: center; justify-content: center; gap: 9px; min-height: 46px; padding: 8px 12px; border-radius: 14px; font-weight: 600; background: var(--surface-2); border: 1px solid var(--line); }
.control:hover { border-color: var(--text-2); }
.control[aria-pressed="true"] { background: var(--text); color: var(--surface); border-color: transparent; }
.hang-up { background: var(--danger); color: #fff; border-color: transparent; }
.hang-up:hover { background: color-mix(in srgb, var(--danger) 88%, #000); border-color: transparent; }
@media (max-width: 480px) {
  :host(:not([placement="inline"])) { right: 12px; left: 12px; bottom: max(12px, env(safe-area-inset-bottom)); }
  :host(:not([placement="inline"])) .panel { width: auto; max-width: none; height: min(620px, calc(100dvh - 24px)); }
}
@media (prefers-reduced-motion: reduce) { *, ::before { animation: none !important; transition: none !important; } .log { scroll-behavior: auto; } }
@media (forced-colors: active) { .launcher, .panel, .control, .send, .action, input { border: 1px solid ButtonText; } }
`;
