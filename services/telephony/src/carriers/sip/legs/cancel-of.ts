/** The CANCEL of an INVITE (RFC 3261, 9.1): the same headers with another method, and without those of the offer. */
export function cancelOf(invite: string): string {
  const [head = ''] = invite.split('\r\n\r\n', 1);
  const kept = /^(?:via|from|to|call-id|cseq|max-forwards|route|x-parley-target):/i;
  const [line = '', ...headers] = head.split('\r\n');
  const lines = headers
    .filter((header) => kept.test(header))
    .map((header) => header.replace(/^(cseq:.*) INVITE$/i, '$1 CANCEL'));
  return [line.replace(/^INVITE /, 'CANCEL '), ...lines, 'Content-Length: 0', '', ''].join('\r\n');
}
