-- Transactions from these on may have written rows that the pass before has not seen: the only ones that a later pass looks into.
ALTER TABLE "removals" ADD COLUMN "began_xid" text, ADD COLUMN "since_xid" text;
