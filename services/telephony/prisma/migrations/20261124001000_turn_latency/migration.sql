-- How long an answer by voice took; null: text, and turns of the human.
ALTER TABLE turns ADD COLUMN latency json;
