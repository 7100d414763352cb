-- An attempt is known by its event, series and number: nothing ever asked for its id, whose index each record paid for.
ALTER TABLE attempts DROP CONSTRAINT attempts_pkey;
ALTER TABLE attempts ADD PRIMARY KEY (event_id, series, attempt, started_at);
DROP INDEX attempts_event_idx;
ALTER TABLE attempts DROP COLUMN id;
