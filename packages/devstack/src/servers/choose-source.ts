import { SERVERS, type ServerKind } from './server-kinds.ts';

export type Finding<T = unknown> = ({ ok: true } & T) | { ok: false; why: string };

/** The options on this machine. Each is only tried after all before it have failed. */
export type Machine = {
  environment(kind: ServerKind): string | undefined;
  local(kind: ServerKind): Promise<Finding<{ url: string; version: string }>>;
  compose(): Promise<Finding>;
  installed(kind: ServerKind): Finding;
  apt(): Finding;
};

export type Source =
  | { type: 'environment'; url: string }
  | { type: 'local'; url: string; version: string }
  | { type: 'compose' | 'private' | 'apt' }
  | { type: 'none'; tried: string[] };

/**
 * Chooses the source of a server: the environment, then the usual local port, then Docker, then an installed program run privately, then
 * apt. Each server is decided independently. `preferPrivate` asks for the installed program right after the environment.
 */
export async function chooseSource(
  kind: ServerKind,
  machine: Machine,
  { preferPrivate = false } = {},
): Promise<Source> {
  const given = machine.environment(kind);
  if (given !== undefined) return { type: 'environment', url: given };

  if (preferPrivate && machine.installed(kind).ok) return { type: 'private' };
  const tried = [`${SERVERS[kind].variable} is not set`];
  const local = await machine.local(kind);
  if (local.ok) return { type: 'local', url: local.url, version: local.version };
  tried.push(local.why);

  const compose = await machine.compose();
  if (compose.ok) return { type: 'compose' };
  tried.push(compose.why);

  const installed = machine.installed(kind);
  if (installed.ok) return { type: 'private' };
  tried.push(installed.why);

  const apt = machine.apt();
  if (apt.ok) return { type: 'apt' };
  tried.push(apt.why);
  return { type: 'none', tried };
}
