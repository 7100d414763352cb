/** The page of `/widget/demo`. */
const STYLES = `
:root { font: 16px/1.6 system-ui, sans-serif; color: #17171f; background: #f7f7fb; }
main { max-width: 640px; margin: 12vh auto; padding: 0 24px; }
h1 { font-size: clamp(30px, 5vw, 44px); line-height: 1.1; letter-spacing: -.02em; margin: 0 0 12px; }
p { color: #5b5b6b; margin: 0 0 28px; }
form { display: grid; gap: 14px; margin: 0 0 28px; }
label { display: grid; gap: 6px; font-weight: 600; font-size: 14px; }
input { font: inherit; padding: 11px 14px; border: 1px solid #d8d8e3; border-radius: 12px; background: #fff; color: inherit; }
button { justify-self: start; font: inherit; font-weight: 600; padding: 11px 20px; border: 0; border-radius: 12px; background: #4f46e5; color: #fff; cursor: pointer; }
:focus-visible { outline: 2px solid #4f46e5; outline-offset: 2px; }
pre { margin: 0; padding: 16px 18px; border-radius: 14px; background: #ececf4; overflow-x: auto; font-size: 13px; white-space: pre-wrap; overflow-wrap: anywhere; }
pre:empty, pre:has(code:empty) { display: none; }
@media (prefers-color-scheme: dark) {
  :root { color: #f4f4f8; background: #0f0f15; }
  p { color: #a9a9ba; }
  input { background: #17171f; border-color: #34343f; }
  pre { background: #17171f; }
  button { background: #6d63f5; }
}
`;

const sheet = new CSSStyleSheet();
sheet.replaceSync(STYLES);
document.adoptedStyleSheets = [sheet];

const given = new URLSearchParams(location.search);
const form = document.querySelector('form');
const fields = form?.elements as unknown as Record<'agent_id' | 'public_key', HTMLInputElement>;
const OF_KEY = 'parley-demo-public-key';

function show(agentId: string, publicKey: string): void {
  const widget = document.createElement('parley-call');
  widget.setAttribute('public-key', publicKey);
  widget.setAttribute('agent-id', agentId);
  for (const name of ['mode', 'theme', 'placement', 'heading', 'label', 'variables'] as const) {
    const value = given.get(name);
    if (value !== null) widget.setAttribute(name, value);
  }
  const lang = given.get('lang');
  if (lang) widget.lang = lang;
  document.querySelector('#widget')?.replaceChildren(widget);
  const snippet = document.querySelector('#snippet');
  if (snippet)
    snippet.textContent = `<script src="${location.origin}/widget.js" async></script>\n${widget.outerHTML}`;
}

fields.agent_id.value = given.get('agent_id') ?? '';
fields.public_key.value =
  given.get('public_key') ?? (fields.public_key.value || (localStorage.getItem(OF_KEY) ?? ''));
form?.addEventListener('submit', (event) => {
  event.preventDefault();
  localStorage.setItem(OF_KEY, fields.public_key.value);
  show(fields.agent_id.value.trim(), fields.public_key.value.trim());
});
if (fields.agent_id.value && fields.public_key.value) show(fields.agent_id.value, fields.public_key.value);

export {};
