import { ParleyCall } from './parley-call.ts';

// The script may be included twice.
if (!customElements.get('parley-call')) customElements.define('parley-call', ParleyCall);
