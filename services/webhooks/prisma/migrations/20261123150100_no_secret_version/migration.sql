-- The version of the assistant that is known to have no webhook secret of its own: its events are signed with the workspace's
-- without a call to the assistants service, also right after a restart.
ALTER TABLE endpoints ADD COLUMN no_secret_version integer;
