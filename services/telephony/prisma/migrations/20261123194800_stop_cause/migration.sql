-- Who requested the end of a call: 'stopped' (a client, also null: the version before) or 'workspace_suspended'.
ALTER TABLE "calls" ADD COLUMN "stop_cause" text;
