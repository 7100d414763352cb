import { fixTranscript as fixEndpoint, getRecording as getEndpoint } from '@parley/contracts';
import { type App, mount } from '@parley/kit/http';
import { type FixTranscriptDeps, fixTranscript } from '../calls/transcripts/fix-transcript.ts';
import { type OpenRecordingDeps, openRecording } from './recordings/open-recording.ts';

export function mountRecordings(app: App, deps: OpenRecordingDeps & FixTranscriptDeps): void {
  mount(app, getEndpoint, ({ params, query }) => openRecording(deps, { ...params, ...query }));
  mount(app, fixEndpoint, ({ auth, params }) => fixTranscript(deps, auth.workspaceId, params.id));
}
