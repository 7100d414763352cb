-- The line of a web call that somebody joined (D6.2), as a carrier's leg would be: answered_at is when the assistant came.
CREATE TABLE "web_lines" (
  "call_id" uuid NOT NULL,
  "joined_at" timestamptz(6) NOT NULL,
  "answered_at" timestamptz(6),
  "ended_at" timestamptz(6),
  "ended_cause" text,
  CONSTRAINT "web_lines_pkey" PRIMARY KEY ("call_id")
);

-- What the human wrote, in order; how many of them the assistant has heard is the number of the human's turns.
CREATE TABLE "web_messages" (
  "call_id" uuid NOT NULL,
  "seq" integer NOT NULL,
  "content" text NOT NULL,
  "at" timestamptz(6) NOT NULL,
  CONSTRAINT "web_messages_pkey" PRIMARY KEY ("call_id", "seq")
);

-- Web calls that wait: to be joined, to be taken by a worker, or to be ended since nobody came.
CREATE INDEX "calls_web_waiting_idx" ON "calls" ("created_at") WHERE "call_type" = 'web' AND "phase" = 'queued';
