import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { callRecordingState } from '../shapes/call.ts';
import { idParams } from '../shapes/primitives.ts';

const linkPart = z.string().optional().catch(undefined);

export const getRecording = defineEndpoint({
  service: 'telephony',
  access: 'open',
  tag: 'Calls',
  id: 'getRecording',
  method: 'GET',
  path: '/recordings/:key',
  params: z.object({
    key: z
      .string()
      .regex(/^[\w-][\w.-]{0,99}$/)
      .describe('File name'),
  }),
  query: z.object({
    expires: linkPart.describe('Expiry of the link'),
    reader: linkPart.describe('The key or membership that the link was made for'),
    signature: linkPart.describe('Signature of the link'),
  }),
  badIdCode: 'NOT_FOUND',
  status: 200,
  envelope: 'bare',
  mediaType: 'audio/wav',
  otherStatuses: { 206: 'The requested range', 416: 'The requested range does not exist' },
  errors: ['FORBIDDEN', 'NOT_FOUND', 'VALIDATION_FAILED', 'RATE_LIMITED'],
  summary: 'Download a recording',
  description:
    "The target of a call's `recording_url`. Needs no API key: the link is signed and valid for one hour, or seven " +
    'days in a `call_analyzed` event. An expired link returns `FORBIDDEN`; get the call again for a new one. Stereo ' +
    'WAV: the human on the left channel, the assistant on the right. Supports `Range`.',
});

const pauseOperation = {
  service: 'telephony',
  access: 'private',
  tag: 'Calls',
  method: 'POST',
  params: idParams,
  status: 200,
  envelope: 'data',
  response: callRecordingState,
  answersWithinMs: 30_000,
  errors: ['VALIDATION_FAILED', 'NOT_FOUND', 'CONFLICT', 'RATE_LIMITED', 'UNAUTHORIZED', 'FORBIDDEN'],
} as const;

export const pauseRecording = defineEndpoint({
  ...pauseOperation,
  id: 'pauseRecording',
  path: '/v2/call/:id/recording/pause',
  summary: 'Pause the recording of a call',
  description:
    'Until it is resumed, both channels of the recording are silence, in their place: positions and length stay those ' +
    'of the call. Returns once the pause is in effect (`paused`), or with `pausing` after two seconds, or at once ' +
    'while many other requests of the workspace wait: then it takes effect as soon as the worker of the call responds, or another one takes the call over. The transcript ' +
    'and turns continue. May be repeated. `CONFLICT` if the call has ended or is not being recorded: it has not been ' +
    'answered, has no audio, or recording is off in the settings of the assistant.',
});

export const resumeRecording = defineEndpoint({
  ...pauseOperation,
  id: 'resumeRecording',
  path: '/v2/call/:id/recording/resume',
  summary: 'Resume the recording of a call',
  description:
    'Ends a pause. Returns once the call is recorded again (`recording`), or after two seconds with `resuming`. May be ' +
    'repeated. `CONFLICT` if the call has ended or is not being recorded.',
});
