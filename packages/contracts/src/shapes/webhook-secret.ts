import { z } from 'zod';

/** `whsec_` and 24 to 64 bytes in base64, as in Standard Webhooks. */
const SECRET =
  /^whsec_(?:(?:[A-Za-z0-9+/]{4}){8,20}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?|(?:[A-Za-z0-9+/]{4}){21}(?:[A-Za-z0-9+/]{2}==)?)$/;

/** Signing secret of an assistant or tool, as set by a client [webhooks.7]. */
export const webhookSecret = z.string().regex(SECRET, {
  error: 'must be whsec_ followed by 24 to 64 bytes in base64',
});

/** In updates: the mask keeps the stored one. */
export const webhookSecretChange = z.literal('********').or(webhookSecret);

/** In responses. */
export const maskedWebhookSecret = z.literal('********').nullable();

/** An active signing secret; a previous one expires at `expires_at`. */
export const signingSecret = z.object({ secret: z.string(), expires_at: z.iso.datetime().nullable() });
export type SigningSecret = z.output<typeof signingSecret>;
