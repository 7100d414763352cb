-- What a live model needs to continue the call over another connection, while the call is live.
ALTER TABLE calls ADD COLUMN model_state json;
