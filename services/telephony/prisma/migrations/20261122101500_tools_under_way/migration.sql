-- Tools that somebody was asked for and of which nothing is on record yet: what a worker that dies leaves behind. The one that
-- goes on with the call doesn't ask again, and tells its assistant. Rows go with the tool's turn.
CREATE TABLE "tools_under_way" (
    "tool_call_id" UUID NOT NULL,
    "call_id" UUID NOT NULL,
    "tool_name" TEXT NOT NULL,
    "tool_type" TEXT NOT NULL,
    "description" TEXT,
    "args" JSON,

    CONSTRAINT "tools_under_way_pkey" PRIMARY KEY ("tool_call_id"),
    CONSTRAINT "tools_under_way_call_id_fkey" FOREIGN KEY ("call_id") REFERENCES "calls" ("id") ON DELETE CASCADE ON UPDATE NO ACTION
);

CREATE INDEX "tools_under_way_call_id_idx" ON "tools_under_way" ("call_id");

-- Rows live for as long as a tool takes.
ALTER TABLE "tools_under_way" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
