import { queryRow, queryRows, type SqlClient, sql } from '@parley/kit/db';
import { z } from 'zod';
import type { PrismaClient } from '../prisma.ts';
import type { WebLines, WebLineUpdate } from './ports.ts';

const foundRow = z.object({ found: z.boolean() });
const isPublicRow = z.object({ isPublic: z.boolean() });

/** Maximum number of messages waiting for the assistant. */
const MAX_UNHEARD = 20;
/** What a call of a public key stores, whatever its page and its visitor send [trust.30]. */
const MAX_PUBLIC_BYTES = 64 * 1024;
/** The rows and events of a call, without what is sent. */
const BYTES_PER_CALL = 8 * 1024;
/** Variables and metadata are in the call, the answer to its creation and three events. */
const COPIES_OF_DATA = 5;
/** A message is a turn, and in both transcripts and the last event. */
const COPIES_OF_TEXT = 4;
/** Beside its text, and with a short answer of the assistant. */
const BYTES_PER_MESSAGE = 1024;

const updateRow = z.object({
  callId: z.string(),
  joinedAt: z.date(),
  answeredAt: z.date().nullable(),
  endedAt: z.date().nullable(),
  endedCause: z.string().nullable(),
  seq: z.number().nullable(),
  content: z.string().nullable(),
  media: z.enum(['text', 'audio']),
  participant: z.string().nullable(),
  offer: z.unknown(),
  offerSeq: z.number(),
});
const replyRow = z.object({ answer: z.object({ sdp: z.string() }).nullable() });
const seqRow = z.object({ seq: z.number() });
const workerRow = z.object({ url: z.string().nullable() });
const writtenRow = z.object({ messages: z.number(), text: z.number(), data: z.number() });

export function createWebLines(prisma: PrismaClient): WebLines {
  return {
    find: async (callId) => {
      const line = await prisma.webLine.findUnique({ where: { callId } });
      return line ? { ...line, media: line.media === 'audio' ? 'audio' : 'text' } : undefined;
    },
    open: async (tx, callId, joinedAt) => {
      await tx.webLine.createMany({ data: [{ callId, joinedAt }], skipDuplicates: true });
    },
    openAudio: async (tx, callId, participant, joinedAt) => {
      const data = [{ callId, joinedAt, participant, media: 'audio' }];
      await tx.webLine.createMany({ data, skipDuplicates: true });
    },
    offer: async (tx, callId, participant, offer) => {
      const row = await queryRow(
        tx,
        seqRow,
        sql`UPDATE web_lines SET offer = ${JSON.stringify(offer)}::json, offer_seq = offer_seq + 1, answer = NULL
        WHERE call_id = ${callId}::uuid AND media = 'audio' AND participant = ${participant} AND ended_at IS NULL
        RETURNING offer_seq AS seq`,
      );
      return row?.seq;
    },
    findReply: async (callId, seq) => {
      const row = await queryRow(
        prisma,
        replyRow,
        sql`SELECT answer FROM web_lines
        WHERE call_id = ${callId}::uuid AND offer_seq = ${seq} AND ended_at IS NULL`,
      );
      return row?.answer;
    },
    answerOffer: async (callId, seq, reply) => {
      await prisma.$executeRaw(sql`UPDATE web_lines SET offer = NULL, answer = ${JSON.stringify(reply)}::json
        WHERE call_id = ${callId}::uuid AND offer_seq = ${seq} AND ended_at IS NULL`);
    },
    findWorker: (callId, participant) =>
      queryRow(
        prisma,
        workerRow,
        sql`SELECT w.url FROM web_lines l
        JOIN calls c ON c.id = l.call_id JOIN call_workers w ON w.id = c.worker_id
        WHERE l.call_id = ${callId}::uuid AND l.media = 'audio' AND l.participant = ${participant} AND l.ended_at IS NULL
          AND c.status <> 'completed' AND w.expires_at > clock_timestamp()`,
      ),
    hasAudio: async () => {
      const row = await queryRow(
        prisma,
        foundRow,
        sql`SELECT EXISTS (SELECT FROM call_workers WHERE web_audio AND expires_at > clock_timestamp()) AS found`,
      );
      return row?.found ?? false;
    },
    answer: async (callId, answeredAt) => {
      const where = { callId, answeredAt: null, endedAt: null };
      await prisma.webLine.updateMany({ where, data: { answeredAt } });
    },
    end: async (callId, endedCause, endedAt, tx) => {
      await (tx ?? prisma).$executeRaw(sql`UPDATE web_lines
        SET ended_at = ${endedAt.toISOString()}::timestamptz, ended_cause = ${endedCause}, offer = NULL, answer = NULL
        WHERE call_id = ${callId}::uuid AND ended_at IS NULL`);
    },
    write: async (tx, { workspaceId, callId }, content, at) => {
      // The line of a call that was stopped before a worker took it stays open. The lock of the call lets its end see this message, or
      // this one see the end. First the call, as where it ends.
      const open = await queryRow(
        tx,
        isPublicRow,
        sql`SELECT c.public_key_id IS NOT NULL AS "isPublic" FROM web_lines l JOIN calls c ON c.id = l.call_id
        WHERE c.workspace_id = ${workspaceId}::uuid AND c.id = ${callId}::uuid AND c.status <> 'completed'
          AND l.ended_at IS NULL
        FOR SHARE OF c FOR UPDATE OF l`,
      );
      if (!open) return 'over';
      if (open.isPublic && (await isFull(tx, callId, content))) return 'full';
      const written = await tx.$executeRaw(sql`INSERT INTO web_messages (call_id, seq, content, at)
        SELECT ${callId}::uuid, written.n, ${content}, ${at.toISOString()}::timestamptz
        FROM (SELECT count(*)::int AS n FROM web_messages WHERE call_id = ${callId}::uuid) written,
          (SELECT count(*)::int AS n FROM turns WHERE call_id = ${callId}::uuid AND role = 'user') heard
        WHERE written.n - heard.n < ${MAX_UNHEARD}`);
      return written > 0 ? 'written' : 'unheard';
    },
    updates: async (positions) => {
      const rows = await queryRows(
        prisma,
        updateRow,
        sql`SELECT l.call_id::text AS "callId", l.joined_at AS "joinedAt", l.answered_at AS "answeredAt",
          l.ended_at AS "endedAt", l.ended_cause AS "endedCause", l.media, l.participant, l.offer, l.offer_seq AS "offerSeq", m.seq, m.content
        FROM unnest(${[...positions.keys()]}::text[], ${[...positions.values()]}::int[]) AS position (id, next)
        JOIN web_lines l ON l.call_id = position.id::uuid
        LEFT JOIN web_messages m ON m.call_id = l.call_id AND m.seq >= position.next
        WHERE m.seq IS NOT NULL OR l.ended_at IS NOT NULL OR l.offer IS NOT NULL
        ORDER BY l.call_id, m.seq`,
      );
      const updates = new Map<string, WebLineUpdate>();
      for (const { seq, content, ...line } of rows) {
        const ofLine = updates.get(line.callId) ?? { line, messages: [] };
        updates.set(line.callId, ofLine);
        if (seq !== null && content !== null) ofLine.messages.push({ seq, content });
      }
      return [...updates.values()];
    },
  };
}

async function isFull(tx: SqlClient, callId: string, content: string): Promise<boolean> {
  const written = await queryRow(
    tx,
    writtenRow,
    sql`SELECT count(m.seq)::int AS messages, coalesce(sum(octet_length(to_json(m.content)::text)), 0)::int AS text,
      octet_length(c.dynamic_variables::text) + coalesce(octet_length(c.metadata::text), 0) AS data
    FROM calls c LEFT JOIN web_messages m ON m.call_id = c.id WHERE c.id = ${callId}::uuid GROUP BY c.id`,
  );
  const { messages = 0, text = 0, data = 0 } = written ?? {};
  const stored =
    BYTES_PER_CALL +
    COPIES_OF_DATA * data +
    COPIES_OF_TEXT * (text + Buffer.byteLength(JSON.stringify(content))) +
    BYTES_PER_MESSAGE * (messages + 1);
  return stored > MAX_PUBLIC_BYTES;
}
