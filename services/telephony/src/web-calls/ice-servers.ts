import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { parseJson } from '../parse-json.ts';

const server = z
  .strictObject({
    urls: z.union([z.string(), z.array(z.string())]).transform((urls) => [urls].flat()),
    /** Shared with the TURN server, which accepts user names signed with it (coturn: `static-auth-secret`). */
    secret: z.string().min(16).optional(),
    username: z.string().optional(),
    credential: z.string().optional(),
  })
  .refine(({ urls }) => urls.length > 0 && urls.every((url) => /^(stuns?|turns?):[^\s]+$/.test(url)), {
    error: 'urls must begin with stun:, stuns:, turn: or turns:',
  });

/** `[{"urls": "turn:turn.example.com:3478", "secret": "…"}]` */
export const iceServers = z
  .string()
  .default('[]')
  .transform((value, ctx) => {
    const parsed = z.array(server).max(10).safeParse(parseJson(value));
    if (parsed.success) return parsed.data;
    ctx.addIssue({
      code: 'custom',
      message: 'must be a JSON list of {"urls", "secret"} or {"urls", "username", "credential"}',
    });
    return z.NEVER;
  });

export type IceServerSetting = z.output<typeof iceServers>[number];
export type IceServerOfBrowser = { urls: string[]; username?: string; credential?: string };

/** The maximum duration of a call, and some minutes. */
const VALID_SECONDS = 2 * 3_600 + 600;

/**
 * The servers for a browser. A user name with its expiry is signed with the secret of the TURN server, which never leaves this
 * process ("A REST API For Access To TURN Services").
 */
export function iceServersFor(
  settings: readonly IceServerSetting[],
  callId: string,
  nowMs: number,
): IceServerOfBrowser[] {
  return settings.map(({ urls, secret, username, credential }) => {
    if (secret === undefined)
      return {
        urls,
        ...(username !== undefined && { username }),
        ...(credential !== undefined && { credential }),
      };
    const user = `${Math.floor(nowMs / 1_000) + VALID_SECONDS}:${callId}`;
    return { urls, username: user, credential: createHmac('sha1', secret).update(user).digest('base64') };
  });
}
