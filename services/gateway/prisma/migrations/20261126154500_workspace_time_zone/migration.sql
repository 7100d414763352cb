-- IANA zone of the workspace's days [analytics.2].
ALTER TABLE workspaces ADD COLUMN time_zone text NOT NULL DEFAULT 'UTC';
