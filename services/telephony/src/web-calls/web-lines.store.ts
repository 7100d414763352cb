import { queryRow, queryRows, type SqlClient, sql } from '@parley/kit/db';
import { z } from 'zod';
import type { PrismaClient } from '../prisma.ts';
import type { WebLines, WebLineUpdate } from './ports.ts';

/** Maximum number of messages waiting for the assistant. */
const MAX_UNHEARD = 20;
/** The messages of a visitor in a call that a public key created: each is stored and sent several times. */
const MAX_PUBLIC_MESSAGES = 200;
const MAX_PUBLIC_BYTES = 16 * 1024;

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
const writtenRow = z.object({ messages: z.number(), bytes: z.number() });

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
        z.object({ found: z.boolean() }),
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
      // The line of a call that was stopped before a worker took it stays open.
      const open = await queryRow(
        tx,
        z.object({ isPublic: z.boolean() }),
        sql`SELECT c.public_key_id IS NOT NULL AS "isPublic" FROM web_lines l JOIN calls c ON c.id = l.call_id
        WHERE c.workspace_id = ${workspaceId}::uuid AND c.id = ${callId}::uuid AND c.status <> 'completed'
          AND l.ended_at IS NULL
        FOR UPDATE OF l`,
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
    sql`SELECT count(*)::int AS messages, coalesce(sum(octet_length(content)), 0)::int AS bytes
    FROM web_messages WHERE call_id = ${callId}::uuid`,
  );
  const { messages = 0, bytes = 0 } = written ?? {};
  return messages >= MAX_PUBLIC_MESSAGES || bytes + Buffer.byteLength(content) > MAX_PUBLIC_BYTES;
}
