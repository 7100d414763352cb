const STATIC: Readonly<Record<string, string>> = { 0: 'PCMU', 8: 'PCMA', 9: 'G722' };
const DIRECTIONS = /^a=(sendrecv|sendonly|recvonly|inactive)\s*$/m;

/** The audio of a session description in one line, such as `PCMU PCMA events  203.0.113.5:4000 SRTP sendonly`; empty without SDP. */
export function describeSdp(body: string): string {
  const audio = /^m=audio (\d+) (\S+) ([\d ]+)/m.exec(body);
  if (!audio) return '';
  const [, port = '', profile = '', types = ''] = audio;
  const names = new Map(
    [...body.matchAll(/^a=rtpmap:(\d+) ([^/\s]+)/gm)].map(([, type = '', name = '']) => [type, name]),
  );
  const codecs = types
    .trim()
    .split(/ +/)
    .map((type) => names.get(type) ?? STATIC[type] ?? type)
    .map((name) => (name === 'telephone-event' ? 'events' : name));
  const media = body.slice(body.indexOf('m=audio'));
  const address = /^c=IN IP[46] (\S+)/m.exec(media)?.[1] ?? /^c=IN IP[46] (\S+)/m.exec(body)?.[1] ?? '';
  const direction = DIRECTIONS.exec(media)?.[1] ?? 'sendrecv';
  const parts = [...new Set(codecs), '', port === '0' ? 'refused' : `${address}:${port}`];
  if (profile.includes('SAVP')) parts.push('SRTP');
  if (direction !== 'sendrecv') parts.push(direction);
  return parts.join(' ');
}
