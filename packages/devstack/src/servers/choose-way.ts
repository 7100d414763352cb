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

export type Choice =
  | { way: 'environment'; url: string }
  | { way: 'local'; url: string; version: string }
  | { way: 'compose' | 'private' | 'apt' }
  | { way: 'none'; tried: string[] };

/**
 * Chooses the source of a server: the environment, then the usual local port, then Docker, then an installed program run privately, then
 * apt. Each server is decided independently. `preferPrivate` asks for the installed program right after the environment.
 */
export async function chooseWay(
  kind: ServerKind,
  machine: Machine,
  { preferPrivate = false } = {},
): Promise<Choice> {
  const given = machine.environment(kind);
  if (given !== undefined) return { way: 'environment', url: given };

  if (preferPrivate && machine.installed(kind).ok) return { way: 'private' };
  const tried = [`${SERVERS[kind].variable} is not set`];
  const local = await machine.local(kind);
  if (local.ok) return { way: 'local', url: local.url, version: local.version };
  tried.push(local.why);

  const compose = await machine.compose();
  if (compose.ok) return { way: 'compose' };
  tried.push(compose.why);

  const installed = machine.installed(kind);
  if (installed.ok) return { way: 'private' };
  tried.push(installed.why);

  const apt = machine.apt();
  if (apt.ok) return { way: 'apt' };
  tried.push(apt.why);
  return { way: 'none', tried };
}
