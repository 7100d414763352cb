-- Lists count all matches (D1.4) and calls are wide, with their transcripts: every filter of POST /v2/call/list and
-- GET /calls is answered from this index alone. Lists without a filter count by the narrower one beside it.
CREATE INDEX "calls_list_idx" ON "calls" ("workspace_id", "created_at" DESC, "id" DESC)
  INCLUDE ("status", "call_type", "agent_id", "campaign_id", "from_number", "to_number", "duration", "cost", "disconnection_reason");
