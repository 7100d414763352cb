import { boundedCount, type DatabaseGauge } from '@parley/kit/observability';
import type { Clock } from '@parley/kit/time';

const WAITING = `FROM dial_requests WHERE state = 'waiting' ORDER BY phone_number_id, requested_at, call_id`;
const OLDEST_WAITING = `
  SELECT coalesce(extract(epoch FROM $1::timestamptz - min(requested_at)), 0)::float8 AS value
  FROM (SELECT requested_at ${WAITING} LIMIT 10000) AS waiting`;
const LIVE = `
  SELECT status, count(*)::int AS value
  FROM (SELECT status FROM calls WHERE status <> 'completed' ORDER BY workspace_id LIMIT 50000) AS live GROUP BY status`;
const ANALYSES = 'FROM calls WHERE analysis_due_at <= $1::timestamptz ORDER BY analysis_due_at';
const RECORDINGS = 'FROM recording_jobs WHERE due_at <= $1::timestamptz ORDER BY due_at';
const CIRCUITS = 'FROM number_circuits WHERE opened_at IS NOT NULL ORDER BY phone_number_id';
// Each call of uncounted_calls is noted here, too.
const UNCOUNTED = 'FROM uncounted_outcomes ORDER BY call_id';
const TRUNKS = `
  SELECT health, count(*)::int AS value FROM (SELECT health FROM terminations ORDER BY id LIMIT 10000) AS trunks GROUP BY health`;
const WORKERS = 'SELECT count(*)::int AS value FROM call_workers WHERE expires_at > clock_timestamp()';

/** Gauges of telephony's database; ages by the stack's clock. */
export function telephonyGauges(clock: Clock): DatabaseGauge[] {
  const values = (): unknown[] => [clock.now().toISOString()];
  return [
    {
      name: 'parley_dials_waiting',
      help: 'Waiting dial requests, counted to 10,000',
      query: boundedCount(WAITING),
    },
    {
      name: 'parley_dials_oldest_wait_seconds',
      help: 'Age of the oldest waiting dial request',
      query: OLDEST_WAITING,
      values,
    },
    {
      name: 'parley_calls_live',
      help: 'Calls in progress by status, counted to 50,000',
      query: LIVE,
      label: 'status',
    },
    {
      name: 'parley_analyses_due',
      help: 'Due analyses, counted to 10,000',
      query: boundedCount(ANALYSES),
      values,
    },
    {
      name: 'parley_recordings_due',
      help: 'Due recordings, counted to 10,000',
      query: boundedCount(RECORDINGS),
      values,
    },
    {
      name: 'parley_number_circuits_open',
      help: 'Numbers with an open circuit, counted to 10,000',
      query: boundedCount(CIRCUITS),
    },
    {
      name: 'parley_calls_uncounted',
      help: 'Completed calls that are not in the rollups of analytics yet, counted to 10,000',
      query: boundedCount(UNCOUNTED),
    },
    {
      name: 'parley_sip_trunks',
      help: 'SIP trunks by health, counted to 10,000',
      query: TRUNKS,
      label: 'health',
    },
    { name: 'parley_call_workers', help: 'Call workers with a recent heartbeat', query: WORKERS },
  ];
}
