import { fixTranscript as fixEndpoint, getRecording as getEndpoint } from '@parley/contracts';
import { type App, mount } from '@parley/kit/http';
import { type OpenRecordingDeps, openRecording } from '../domain/recordings/open-recording.ts';
import { type FixTranscriptDeps, fixTranscript } from '../domain/transcripts/fix-transcript.ts';

export function mountRecordings(app: App, deps: OpenRecordingDeps & FixTranscriptDeps): void {
  mount(app, getEndpoint, ({ params, query }) => openRecording(deps, { ...params, ...query }));
  mount(app, fixEndpoint, ({ auth, params }) => fixTranscript(deps, auth.workspaceId, params.id));
}
