-- Attempts by the day (UTC) on which they began: what is older than ATTEMPTS_KEEP_DAYS goes as whole partitions, which
-- live in a schema of their own. No foreign key: events outlive their attempts, and the fence of the event's row, which is
-- changed in the same transaction, already keeps an attempt from being written twice.
CREATE SCHEMA attempts_by_day;
ALTER TABLE attempts RENAME TO attempts_whole;
ALTER TABLE attempts_whole RENAME CONSTRAINT attempts_pkey TO attempts_whole_pkey;

CREATE TABLE attempts (
  id uuid NOT NULL,
  event_id uuid NOT NULL,
  workspace_id uuid NOT NULL,
  series integer NOT NULL,
  attempt integer NOT NULL,
  url text NOT NULL,
  started_at timestamptz(6) NOT NULL,
  duration_ms integer NOT NULL,
  reason text NOT NULL,
  status integer NOT NULL,
  error text,
  request_headers jsonb NOT NULL,
  response_headers jsonb,
  response_body text,
  PRIMARY KEY (id, started_at)
) PARTITION BY RANGE (started_at);
CREATE INDEX attempts_event_idx ON attempts (event_id, series, attempt);

DO $$
DECLARE
  of_day timestamp;
BEGIN
  FOR of_day IN SELECT DISTINCT date_trunc('day', started_at AT TIME ZONE 'UTC') FROM attempts_whole LOOP
    EXECUTE format(
      'CREATE TABLE attempts_by_day.%I PARTITION OF attempts FOR VALUES FROM (%L) TO (%L)',
      'd' || to_char(of_day, 'YYYYMMDD'), of_day::text || '+00', (of_day + interval '1 day')::text || '+00');
  END LOOP;
END $$;
INSERT INTO attempts SELECT id, event_id, workspace_id, series, attempt, url, started_at, duration_ms, reason, status,
  error, request_headers, response_headers, response_body FROM attempts_whole;
DROP TABLE attempts_whole;
CREATE INDEX attempts_delivered_idx ON attempts (workspace_id, md5(url), started_at DESC) WHERE reason = 'delivered';
CREATE INDEX attempts_failed_idx ON attempts (workspace_id, md5(url), started_at DESC) WHERE reason <> 'delivered';
