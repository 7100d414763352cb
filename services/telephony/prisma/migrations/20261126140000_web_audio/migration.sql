-- How the visitor joined, and for audio the latest offer of their browser, until the worker that carries the call has answered it.
-- Addresses in offers and answers are personal data: both are removed with the end of the line.
ALTER TABLE "web_lines"
  ADD COLUMN "media" text NOT NULL DEFAULT 'text',
  ADD COLUMN "participant" text,
  ADD COLUMN "offer" json,
  ADD COLUMN "offer_seq" integer NOT NULL DEFAULT 0,
  ADD COLUMN "answer" json;

-- Where the API finds the worker of a call, and whether it carries spoken web calls.
ALTER TABLE "call_workers"
  ADD COLUMN "url" text,
  ADD COLUMN "web_audio" boolean NOT NULL DEFAULT false;
