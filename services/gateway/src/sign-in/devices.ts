import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** A browser in which an account has signed in before: its wrong passwords are counted separately [access.10]. */
export type Device = { id: string; personId: string };

const ID_BYTES = 16;
const MAC_BYTES = 16;
const TOKEN_BYTES = 2 * ID_BYTES + MAC_BYTES;
/** Accounts that one browser remembers; a further one replaces the one that signed in longest ago. */
const MAX_DEVICES = 4;

const macOf = (body: Buffer, pepper: string): Buffer =>
  createHmac('sha256', pepper).update('device ').update(body).digest().subarray(0, MAC_BYTES);

function issue(personId: string, pepper: string): string {
  const body = Buffer.concat([Buffer.from(personId.replaceAll('-', ''), 'hex'), randomBytes(ID_BYTES)]);
  return Buffer.concat([body, macOf(body, pepper)]).toString('base64url');
}

function read(token: string, pepper: string): Device | undefined {
  const bytes = Buffer.from(token, 'base64url');
  if (bytes.length !== TOKEN_BYTES) return undefined;
  const body = bytes.subarray(0, 2 * ID_BYTES);
  if (!timingSafeEqual(bytes.subarray(2 * ID_BYTES), macOf(body, pepper))) return undefined;
  const hex = body.subarray(0, ID_BYTES).toString('hex');
  const personId = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return { personId, id: body.subarray(ID_BYTES).toString('hex') };
}

const tokensIn = (cookie: string): string[] => cookie.split('.').slice(0, MAX_DEVICES);

/** The accounts that have signed in from this browser; it grants no access. */
export function readDevices(cookie: string | undefined, pepper: string): Device[] {
  if (!cookie) return [];
  return tokensIn(cookie).flatMap((token) => read(token, pepper) ?? []);
}

/** The cookie after a sign-in: the account's token, kept or new, comes first. */
export function rememberDevice(cookie: string | undefined, personId: string, pepper: string): string {
  const known = tokensIn(cookie ?? '').flatMap((token) => {
    const device = read(token, pepper);
    return device ? [{ token, personId: device.personId }] : [];
  });
  const own = known.find((device) => device.personId === personId)?.token ?? issue(personId, pepper);
  const others = known.filter((device) => device.personId !== personId).map(({ token }) => token);
  return [own, ...others].slice(0, MAX_DEVICES).join('.');
}
