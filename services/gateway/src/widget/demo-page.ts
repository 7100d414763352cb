/** Tries the widget: `?agent_id=…`, with the public key of the development workspace, or `&public_key=…`. */
export const demoPage = (publicKey: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Parley widget</title>
<link rel="icon" href="data:,">
<script src="/widget/demo.js" defer></script>
<script src="/widget.js" defer></script>
</head>
<body>
<main>
<h1>Talk to your assistant</h1>
<p id="hint">This page shows the widget as visitors of a web site see it.</p>
<form id="settings">
<label>Assistant <input name="agent_id" autocomplete="off" spellcheck="false" placeholder="Id of the assistant"></label>
<label>Public key <input name="public_key" autocomplete="off" spellcheck="false" placeholder="svc_pub_…" value="${escaped(publicKey)}"></label>
<button>Show the widget</button>
</form>
<pre><code id="snippet"></code></pre>
</main>
<div id="widget"></div>
</body>
</html>
`;

function escaped(text: string): string {
  return text.replace(/[^\w-]/g, '');
}
