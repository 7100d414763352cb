const HOST_NAME = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,62})(\.[a-z0-9_]([a-z0-9_-]{0,62}))*$/;

/** Whether a name server could resolve it: a name in lower case and Punycode, without a port, whose labels have 1 to 63 characters. */
export function isHostName(text: string): boolean {
  return HOST_NAME.test(text);
}

/** The problem of the host of a parsed URL, as a predicate to the field's name, or undefined. A dot at the end is allowed. */
export function checkHostName(host: string): string | undefined {
  return isHostName(host.replace(/\.$/, '')) ? undefined : 'must have a valid host name';
}
