-- Whether the human cut the assistant off; null for the human's turns and for text.
ALTER TABLE turns ADD COLUMN interrupted boolean;
