import { type ChangedType, type DashboardChange, type Message, parseMessage } from '@parley/contracts';

/** The changes that a message means for pages; `more`: changed types without an id. */
export type MessageChanges = { workspaceId: string; changes: DashboardChange[]; more: ChangedType[] };

/** Message types that change a page. */
export const WATCHED = [
  'call.dialing',
  'call.started',
  'call.ended',
  'call.analyzed',
  'dial.refused',
  'phone-number.updated',
  'phone-number.deleted',
  'assistant.updated',
  'assistant.deleted',
  'audit.recorded',
  'changes.noted',
] as const;

/** Of larger messages, with long transcripts, only the head is read. */
const MAX_PARSED_BYTES = 64 * 1024;
const HEAD_BYTES = 1_024;
const HEAD =
  /"type":"(call\.\w+)".*?"occurred_at":"([^"]+)","workspace_id":"([\w-]{36})".*?(?:"call_id":"([\w-]{36})")/s;
const REFERENCE = /"type":"(call\.\w+)".*?"workspace_id":"([\w-]{36})"/s;

/** An envelope names its workspace before its data. */
const WORKSPACE = /^(?:(?!"data":).){0,512}?"workspace_id":"([\w-]{36})"/;

/** The workspace of a message, read from its head: most messages concern no open page, and are not worth parsing. */
export function workspaceOf(body: Buffer): string | undefined {
  return WORKSPACE.exec(body.toString('latin1', 0, HEAD_BYTES))?.[1];
}

/** Undefined: the message doesn't concern pages. Never throws: a message of a newer version is not an error here. */
export function readChange(body: Buffer): MessageChanges | undefined {
  if (body.length > MAX_PARSED_BYTES) return readHead(body.subarray(0, HEAD_BYTES).toString());
  const text = body.toString();
  try {
    return changesOf(parseMessage(JSON.parse(text)));
  } catch {
    // Published by reference: it has no data.
    return readHead(text.slice(0, HEAD_BYTES));
  }
}

function readHead(head: string): MessageChanges | undefined {
  const [, type = '', at = '', workspaceId = '', id] = HEAD.exec(head) ?? [];
  if (id) return { workspaceId, changes: [{ type: 'call', id, what: whatOf(type), at }], more: [] };
  const [, , ofReference] = REFERENCE.exec(head) ?? [];
  return ofReference ? { workspaceId: ofReference, changes: [], more: ['call'] } : undefined;
}

const whatOf = (type: string): string => type.slice(type.indexOf('.') + 1);

/** Kinds of audited resources that have a page of their own; everything else belongs to the workspace's settings. */
const TYPE_OF_TARGET: Readonly<Record<string, ChangedType>> = {
  assistant: 'assistant',
  phone_number: 'phone_number',
  campaign: 'campaign',
  do_not_call_list: 'do_not_call',
};

function changesOf(message: Message): MessageChanges | undefined {
  const { workspace_id: workspaceId, occurred_at: at } = message;
  const one = (type: ChangedType, id: string, more: Partial<DashboardChange> = {}): MessageChanges => ({
    workspaceId,
    changes: [{ type, id, what: whatOf(message.type), at, ...more }],
    more: [],
  });
  switch (message.type) {
    case 'call.dialing':
    case 'call.started':
    case 'call.ended':
    case 'call.analyzed':
    case 'dial.refused': {
      const { data } = message;
      const campaignId = 'campaign' in data ? data.campaign?.campaign_id : data.campaign_id;
      return one('call', data.call_id, campaignId ? { campaign_id: campaignId } : {});
    }
    case 'phone-number.updated':
    case 'phone-number.deleted':
      return one('phone_number', message.data.phone_number_id);
    case 'assistant.updated':
    case 'assistant.deleted':
      return one('assistant', message.data.agent_id);
    case 'audit.recorded': {
      const { target } = message.data;
      const type = TYPE_OF_TARGET[target.type] ?? 'workspace';
      // Without the action: only admins may read the audit log.
      const { changes } = one(type, type === 'workspace' ? workspaceId : target.id, { what: 'changed' });
      const ofLog = one('audit_log', workspaceId, { what: 'changed' });
      return { ...ofLog, changes: [...changes, ...ofLog.changes] };
    }
    case 'changes.noted':
      return { workspaceId, ...message.data };
    default:
      return undefined;
  }
}
