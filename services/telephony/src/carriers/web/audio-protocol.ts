/** The WebSocket protocol of spoken web calls; the token and the participant follow it in the list of the browser. */
export const AUDIO_PROTOCOL = 'parley-audio';
