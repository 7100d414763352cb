-- The receiver's own signing secret, sealed; null: the workspace's secrets sign (D12.11).
ALTER TABLE assistants ADD COLUMN webhook_secret text;
ALTER TABLE tools ADD COLUMN webhook_secret text;
