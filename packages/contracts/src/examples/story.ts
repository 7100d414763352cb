/** The examples are about one workspace, whose assistant Ada confirms appointments, and about one of its calls. */
export const IDS = {
  workspace: '0197a000-0000-7000-8000-000000000000',
  assistant: '0197f3b2-5c1e-7d40-9a3b-2f6f1c0d8e11',
  tool: '0197f3b4-0a61-7c55-8f0e-6d1b2c9e4f22',
  phoneNumber: '0197f3b6-7b12-7e0a-b1c4-90d2e7a51c33',
  call: '0197f3c0-12ab-7f31-a6d8-51c0e94b7d44',
  campaign: '0197f3ca-44d0-7a92-9c1d-3be8f0a26e55',
  knowledgeBase: '0197f3cc-5e07-7b18-8d3f-7a4c1e0b9f66',
  document: '0197f3cd-61f4-7d6b-9e20-c8b5a7312d77',
  event: '0197f3c1-a9e2-7c04-b5f7-04d9e6c18a88',
  person: '0197f3d0-8c35-7e49-a0b2-1f5d7c6e3b99',
} as const;

export const NUMBER = '+14155550123';
export const CALLEE = '+14155550199';

/** The call, in the order of its events. */
export const CREATED = '2026-03-14T09:26:53.589Z';
export const STARTED = '2026-03-14T09:26:54.020Z';
export const ANSWERED = '2026-03-14T09:26:58.902Z';
export const REPLIED = '2026-03-14T09:27:21.036Z';
export const ENDED = '2026-03-14T09:27:31.377Z';
export const ANALYZED = '2026-03-14T09:27:33.410Z';
export const GREETING = 'Hello Grace, this is Ada. Does Thursday at ten still suit you?';
export const CONSENT = 'Yes, it does. Goodbye.';
export const SUMMARY = 'Grace confirmed the appointment on Thursday at ten.';
export const TRANSCRIPT = `[${ANSWERED}] Agent: ${GREETING}\n[${REPLIED}] User: ${CONSENT}`;
export const CALL_SID = 'SIM0197f3c012ab7f31a6d851c0e94b7d44';
export const RECORDING_SID = 'RE0197f3c012ab7f31a6d851c0e94b7d44';
export const RECORDING_URL = `https://parley.example.com/recordings/${RECORDING_SID}.wav?expires=1773484053&signature=3q2-7wAbCdEf`;
