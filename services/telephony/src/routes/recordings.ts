import { getRecording as getEndpoint } from '@parley/contracts';
import { type App, mount } from '@parley/kit/http';
import { type OpenRecordingDeps, openRecording } from '../domain/recordings/open-recording.ts';

export function mountRecordings(app: App, deps: OpenRecordingDeps): void {
  mount(app, getEndpoint, ({ params, query }) => openRecording(deps, { ...params, ...query }));
}
