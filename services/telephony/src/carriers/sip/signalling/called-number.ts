/** More than any user part needs: longer ones are cut, since unknown sources write them. */
const MAX_CHARACTERS = 256;

/** The number in the user part of a URI, with or without the plus. Undefined: it is not a number. */
export function e164Of(user: string | undefined): string | undefined {
  const [text = ''] = decoded(user ?? '').split(';', 1);
  const digits = /^\+?([1-9]\d{6,14})$/.exec(text.replace(/[-.() ]/g, ''))?.[1];
  return digits === undefined ? undefined : `+${digits}`;
}

/**
 * The number that a request calls, before it is parsed: some trunks have it in To only. However its URIs are written, with parameters, another
 * host or a display name, it is the same one. Undefined: none.
 */
export function calledNumberIn(requestUri: string, to: string): string | undefined {
  return e164Of(userOf(cut(requestUri))) ?? e164Of(userOf(cut(addressIn(to))));
}

/** Of a header with an address, its URI. */
function addressIn(header: string): string {
  const unquoted = header.replace(/^\s*"(?:[^"\\]|\\.)*"/, '');
  return unquoted.slice(unquoted.indexOf('<') + 1).trimStart();
}

/** A user part that is cut begins with its number nevertheless. */
function cut(uri: string): string {
  return uri.length > MAX_CHARACTERS ? `${uri.slice(0, MAX_CHARACTERS)}@` : uri;
}

function userOf(uri: string): string | undefined {
  const [, user, number] = /^(?:sips?:([^@:]*)(?::[^@]*)?@|tel:([^>]*))/i.exec(uri) ?? [];
  return user ?? number;
}

function decoded(user: string): string {
  try {
    return decodeURIComponent(user);
  } catch {
    return '';
  }
}
