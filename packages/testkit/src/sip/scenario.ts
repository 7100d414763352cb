// Scenarios of sipp in few words. A step is a piece of its XML.

export type Step = string;

const CRLF = '\n';
/** Where the far end says that we are; the dialog's tag at sipp. */
const CONTACT = 'Contact: <sip:trunk@[local_ip]:[local_port];transport=[transport]>';
const TAG = ';tag=[pid]trunk[call_number]';

/** PCMU and key presses at sipp's media port. */
export const SIPP_SDP = [
  'v=0',
  'o=trunk 1 [pid] IN IP[local_ip_type] [local_ip]',
  's=-',
  'c=IN IP[media_ip_type] [media_ip]',
  't=0 0',
  'm=audio [media_port] RTP/AVP 0 101',
  'a=rtpmap:0 PCMU/8000',
  'a=rtpmap:101 telephone-event/8000',
  'a=fmtp:101 0-15',
].join(CRLF);

export type Extra = {
  headers?: readonly string[];
  /** A description, or none. */
  sdp?: string | boolean;
  type?: string;
  body?: string;
};

function bodyOf({ sdp, body, type }: Extra): string[] {
  const content = sdp === true ? SIPP_SDP : sdp || body;
  if (!content) return ['Content-Length: 0', ''];
  return [`Content-Type: ${type ?? 'application/sdp'}`, 'Content-Length: [len]', '', content];
}

function send(lines: readonly string[], attributes = ''): Step {
  return `<send${attributes}><![CDATA[${CRLF}${lines.join(CRLF)}${CRLF}]]></send>`;
}

/** Waits for a request; keeps what is needed to send one in the same dialog. */
export function expectRequest(method: string, options: { optional?: boolean; next?: number } = {}): Step {
  const { optional, next } = options;
  const keep =
    method === 'INVITE'
      ? `<action><ereg regexp=".*" search_in="hdr" header="From:" assign_to="their"/>
         <ereg regexp=".*" search_in="hdr" header="To:" assign_to="ours"/>
         <ereg regexp=".*" search_in="hdr" header="Via:" assign_to="via"/></action>`
      : '';
  const attributes = `${optional ? ' optional="true"' : ''}${next === undefined ? '' : ` next="${next}"`}`;
  return `<recv request="${method}" rrs="true"${attributes}>${keep}</recv>`;
}

export function expectResponse(status: number, options: { optional?: boolean; auth?: boolean } = {}): Step {
  const { optional, auth } = options;
  return `<recv response="${status}" rrs="true"${optional ? ' optional="true"' : ''}${auth ? ' auth="true"' : ''}></recv>`;
}

/** Responds to the request that came last. */
export function respond(status: number, reason: string, extra: Extra = {}): Step {
  return respondAs(status > 100 ? `[last_To:]${TAG}` : '[last_To:]', `${status} ${reason}`, extra);
}

/** Responds to a request within the dialog, whose To has its tag already. */
export function respondInside(status: number, reason: string, extra: Extra = {}): Step {
  return respondAs('[last_To:]', `${status} ${reason}`, extra);
}

function respondAs(to: string, status: string, extra: Extra): Step {
  return send([
    `SIP/2.0 ${status}`,
    '[last_Via:]',
    '[last_From:]',
    to,
    '[last_Call-ID:]',
    '[last_CSeq:]',
    '[last_Record-Route:]',
    CONTACT,
    ...(extra.headers ?? []),
    ...bodyOf(extra),
  ]);
}

/** Responds to the INVITE of cseq 1, after other requests have come. */
export function respondToInvite(status: number, reason: string, extra: Extra = {}): Step {
  return send([
    `SIP/2.0 ${status} ${reason}`,
    'Via:[$via]',
    'From:[$their]',
    `To:[$ours]${TAG}`,
    '[last_Call-ID:]',
    'CSeq: 1 INVITE',
    CONTACT,
    ...(extra.headers ?? []),
    ...bodyOf(extra),
  ]);
}

/** A request of the one who was called, within the dialog. */
export function requestInside(method: string, cseq: number, extra: Extra = {}): Step {
  return send([
    `${method} [next_url] SIP/2.0`,
    'Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]',
    `From:[$ours]${TAG}`,
    'To:[$their]',
    '[routes]',
    'Call-ID: [call_id]',
    `CSeq: ${cseq} ${method}`,
    CONTACT,
    'Max-Forwards: 70',
    ...(extra.headers ?? []),
    ...bodyOf(extra),
  ]);
}

export function pause(ms: number): Step {
  return `<pause milliseconds="${ms}"/>`;
}

/** Text as it is, for what is malformed. */
export function sendRaw(text: string): Step {
  return `<send><![CDATA[${CRLF}${text}${CRLF}]]></send>`;
}

/** A request of the caller: the first INVITE, or whatever follows it in the dialog. */
export function callerRequest(
  method: string,
  options: { to: string; from: string; cseq: number; inside?: boolean } & Extra,
): Step {
  const { to, from, cseq, inside = false } = options;
  const isAck = method === 'ACK';
  return send([
    `${method} ${inside ? '[next_url]' : `sip:${to}@[remote_ip]:[remote_port];transport=[transport]`} SIP/2.0`,
    'Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]',
    `From: <sip:${from}@[local_ip]:[local_port]>;tag=[pid]caller[call_number]`,
    inside || isAck
      ? `To: <sip:${to}@[remote_ip]:[remote_port]>[peer_tag_param]`
      : `To: <sip:${to}@[remote_ip]:[remote_port]>`,
    ...(inside ? ['[routes]'] : []),
    'Call-ID: [call_id]',
    `CSeq: ${cseq} ${method}`,
    CONTACT,
    'Max-Forwards: 70',
    ...(options.headers ?? []),
    ...bodyOf(options),
  ]);
}

/**
 * Acknowledges the refusal that came last, as a part of its INVITE's transaction (RFC 3261, 17.1.1.3): of the number that was called, or of a
 * request within the dialog.
 */
export function acknowledgeRefusal(cseq: number, to?: string): Step {
  return send([
    `ACK ${to === undefined ? '[next_url]' : `sip:${to}@[remote_ip]:[remote_port];transport=[transport]`} SIP/2.0`,
    '[last_Via:]',
    '[last_From:]',
    '[last_To:]',
    ...(to === undefined ? ['[routes]'] : []),
    '[last_Call-ID:]',
    `CSeq: ${cseq} ACK`,
    'Max-Forwards: 70',
    ...bodyOf({}),
  ]);
}

/** Speaks: plays a file of µ-law audio for as long as the call lasts, or returns what it hears (`sipp -rtp_echo`). */
export function playAudio(file: string): Step {
  return `<nop><action><exec rtp_stream="${file},-1,0"/></action></nop>`;
}

export function scenarioXml(name: string, steps: readonly Step[]): string {
  const known = steps.join('').includes('assign_to="their"') ? '<Reference variables="their,ours,via"/>' : '';
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE scenario SYSTEM "sipp.dtd">
<scenario name="${name}">
${steps.join(CRLF)}
${known}
</scenario>
`;
}

/** Rings, answers with audio, and waits for the caller to hang up. */
export const ANSWERS: readonly Step[] = [
  expectRequest('INVITE'),
  respond(100, 'Trying'),
  respond(180, 'Ringing'),
  respond(200, 'OK', { sdp: true }),
  expectRequest('ACK'),
  expectRequest('BYE'),
  respondInside(200, 'OK'),
];
