import {
  CLIENT_ADDRESS_HEADER,
  fixTranscript as fixEndpoint,
  getRecording as getEndpoint,
  pauseRecording as pauseEndpoint,
  resumeRecording as resumeEndpoint,
} from '@parley/contracts';
import { type App, mount } from '@parley/kit/http';
import { type FixTranscriptDeps, fixTranscript } from '../calls/transcripts/fix-transcript.ts';
import { type PauseRecordingDeps, pauseRecording } from './recordings/live/pause-recording.ts';
import { type OpenRecordingDeps, openRecording } from './recordings/open-recording.ts';

export function mountRecordings(
  app: App,
  deps: OpenRecordingDeps & FixTranscriptDeps & PauseRecordingDeps,
): void {
  mount(app, getEndpoint, ({ params: { key }, query, req, requestId }) => {
    const isHead = req.method === 'HEAD';
    return openRecording(deps, { key, query, isHead, address: req.get(CLIENT_ADDRESS_HEADER), requestId });
  });
  mount(app, pauseEndpoint, ({ auth, params: { id } }) => pauseRecording(deps, auth, { id, isPaused: true }));
  mount(app, resumeEndpoint, ({ auth, params: { id } }) =>
    pauseRecording(deps, auth, { id, isPaused: false }),
  );
  mount(app, fixEndpoint, ({ auth, params }) => fixTranscript(deps, auth, params.id));
}
