import { createLiveDouble, type LiveCause, type LiveDouble } from './live-double.ts';

const PIECE_BYTES = 9_600;

/** `BidiGenerateContent` (WebSocket): https://ai.google.dev/api/live */
export function createGeminiLiveDouble(): Promise<LiveDouble> {
  const key = 'double-gemini-key';
  let handles = 0;
  const known = new Set<string>();
  return createLiveDouble({
    key,
    rate: 16_000,
    isAuthorized: ({ headers, url }) =>
      headers['x-goog-api-key'] === key ||
      new URL(url ?? '', 'http://double').searchParams.get('key') === key,
    open: (line) => {
      let tools = 0;
      let isWaitingForHistory = false;
      let playing: ReturnType<typeof setTimeout> | undefined;

      const endTurn = (): void => {
        playing = undefined;
        handles += 1;
        const newHandle = `handle-${handles}`;
        known.add(newHandle);
        line.send(
          { serverContent: { turnComplete: true } },
          { sessionResumptionUpdate: { newHandle, resumable: true } },
        );
      };
      const speak = (text: string): void => {
        const { audio, ms } = line.begin(text);
        line.send({ serverContent: { outputTranscription: { text } } }, ...pieces(audio), {
          serverContent: { generationComplete: true },
        });
        // The provider waits for the time that playing it takes.
        clearTimeout(playing);
        playing = setTimeout(endTurn, ms);
        playing.unref();
      };
      const react = (cause: LiveCause): void => {
        const calls = [];
        for (const move of line.decide(cause)) {
          if ('say' in move) speak(move.say);
          else if ('tool' in move) {
            tools += 1;
            calls.push({ id: `tool-${tools}`, name: move.tool, args: move.args });
          }
        }
        if (calls.length > 0) line.send({ toolCall: { functionCalls: calls } });
      };

      return {
        onSpeech: (change) => {
          if (change === 'started' && playing) {
            clearTimeout(playing);
            line.send({ serverContent: { interrupted: true } });
            endTurn();
          }
          if (change === 'stopped') {
            const heard = line.nextUtterance();
            for (const text of heard.match(/\S+\s*/g) ?? [])
              line.send({ serverContent: { inputTranscription: { text } } });
            react({ heard });
          }
        },
        onMessage: ({ setup, realtimeInput, clientContent, toolResponse }) => {
          if (setup) {
            const handle = setup.sessionResumption?.handle;
            if (handle !== undefined && !known.has(handle))
              return line.close(1008, 'Session handle not found');
            isWaitingForHistory = setup.historyConfig?.initialHistoryInClientContent ?? false;
            line.send({ setupComplete: {} });
          }
          if (realtimeInput?.audio) line.hear(Buffer.from(realtimeInput.audio.data, 'base64'));
          if (realtimeInput?.text) react({ told: realtimeInput.text });
          if (clientContent?.turnComplete) {
            if (isWaitingForHistory) isWaitingForHistory = false;
            else react({ told: clientContent.turns?.at(-1)?.parts?.[0]?.text ?? '' });
          }
          for (const { response, scheduling } of toolResponse?.functionResponses ?? [])
            if (scheduling !== 'SILENT') react({ result: response });
        },
      };
    },
  });
}

function pieces(audio: Buffer): unknown[] {
  const messages = [];
  for (let from = 0; from < audio.length; from += PIECE_BYTES) {
    const data = audio.subarray(from, from + PIECE_BYTES).toString('base64');
    const inlineData = { data, mimeType: 'audio/pcm;rate=24000' };
    messages.push({ serverContent: { modelTurn: { parts: [{ inlineData }] } } });
  }
  return messages;
}
