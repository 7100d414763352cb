import { z } from 'zod';

// The state that another worker needs to continue or end a leg. It is stored with the call at each change.

const hop = z.discriminatedUnion('via', [
  z.object({ via: z.literal('edge'), edge: z.string().optional() }),
  z.object({
    via: z.literal('direct'),
    transport: z.enum(['tcp', 'tls']),
    address: z.string(),
    port: z.number(),
    host: z.string(),
  }),
]);

/** An established dialog, in the words of RFC 3261. */
const dialog = z.object({
  callId: z.string(),
  localTag: z.string(),
  remoteTag: z.string(),
  localUri: z.string(),
  remoteUri: z.string(),
  remoteTarget: z.string(),
  routeSet: z.array(z.string()),
  localCseq: z.number(),
  remoteCseq: z.number().nullable(),
  /** Its timer; undefined: none, or a state from before timers were stored. */
  terms: z.object({ seconds: z.number(), isOurs: z.boolean() }).optional(),
});
export type DialogState = z.infer<typeof dialog>;

const established = z.object({
  phase: z.literal('established'),
  hop,
  user: z.string(),
  dialog,
  isSecure: z.boolean(),
  /** Hosts that its audio may come from. */
  peers: z.array(z.string()).default([]),
  answeredAt: z.string(),
});
export type EstablishedState = z.infer<typeof established>;

/** An INVITE that is not answered yet, with its CANCEL. */
const inviting = z.object({ phase: z.literal('inviting'), hop, cancel: z.string() });
export type InvitingState = z.infer<typeof inviting>;

const one = z.discriminatedUnion('phase', [inviting, established]);
export type OneLegState = z.infer<typeof one>;

const state = z.object({
  sip: z.literal(1),
  leg: one,
  /** The leg to the target of a transfer. */
  bridged: one.nullable(),
  /** Whether the party talks to the target. False: the target has not accepted yet. */
  isBridged: z.boolean().default(true),
  /** A REFER was sent, and the far end has not reported the result. */
  isReferred: z.boolean().default(false),
  /** Legs to targets of earlier transfers, which are being hung up. */
  left: z.array(one).default([]),
});
export type LegState = z.infer<typeof state>;

/** Null: there is none, or another adapter stored it. */
export function readLegState(stored: unknown): LegState | null {
  return state.safeParse(stored).data ?? null;
}
