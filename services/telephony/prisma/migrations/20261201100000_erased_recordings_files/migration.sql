-- Calls that have lost their recording together with words of the call. The files are removed after the commit of that, then the row.
CREATE TABLE erased_recordings (
  call_id uuid PRIMARY KEY,
  workspace_id uuid NOT NULL
);
CREATE INDEX erased_recordings_workspace_id_idx ON erased_recordings (workspace_id);
