/** Firefox connects a microphone only to a context of its own rate. */
export function openAudioContext(
  stream: MediaStream,
  sampleRate: number,
): { context: AudioContext; source: MediaStreamAudioSourceNode } {
  const wanted = new AudioContext({ sampleRate, latencyHint: 'interactive' });
  try {
    return { context: wanted, source: wanted.createMediaStreamSource(stream) };
  } catch {
    void wanted.close();
    const context = new AudioContext({ latencyHint: 'interactive' });
    return { context, source: context.createMediaStreamSource(stream) };
  }
}
