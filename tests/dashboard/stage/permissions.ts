import type { Role } from '@parley/contracts';

/**
 * What the roles may do, in words. `by`: the controls that do it, each as `page: kind name`, with ` opened:` after the page for those of an
 * opened dialog or menu. `minimum`: the lowest role that may. `otherwise`: what lower roles have in place of them; by default the same
 * controls, disabled, with the reason.
 */
export type Permission = {
  may: string;
  minimum: Role;
  by: RegExp;
  /** `told`: the reason only. `hidden`: disabled with the reason, or nothing. Otherwise the control that is there instead. */
  otherwise?: 'told' | 'hidden' | `${string}: ${string}`;
};

const FIELD = '(?:textbox|searchbox|combobox|spinbutton|switch|checkbox|radio|slider)';

/** The first that fits counts. A control that fits none is one that no test knows. */
export const PERMISSIONS: readonly Permission[] = [
  {
    may: 'create, copy and delete assistants',
    minimum: 'developer',
    by: /^assistants(?: opened|\/AGENT.*)?: (?:button (?:New|Create an) assistant|menuitem (?:Duplicate|Delete))$/,
  },
  {
    may: 'look at and listen to parts of an assistant',
    minimum: 'viewer',
    by: /^assistants\/AGENT\S*: button (?:Test|check_availability|Actions of .*|Copy .*|Listen to .*)$/,
  },
  {
    may: 'open a tool to change and try it',
    minimum: 'developer',
    by: /^assistants\/AGENT\?tab=tools opened: menuitem Edit and try$/,
    otherwise: 'assistants/AGENT?tab=tools opened: menuitem View',
  },
  {
    may: 'test assistants',
    minimum: 'developer',
    by: /^assistants\/AGENT.*: Test, button Start the conversation$/,
    otherwise: 'told',
  },
  {
    may: 'prepare a test',
    minimum: 'viewer',
    by: /^assistants\/AGENT.*: Test, /,
  },
  {
    may: 'see the secret that they type',
    minimum: 'developer',
    by: /^(?:assistants|tools).*: button Toggle password visibility$/,
    otherwise: 'hidden',
  },
  {
    may: 'change assistants and their tools',
    minimum: 'developer',
    by: new RegExp(`^assistants/AGENT\\S*(?: opened)?: (?:${FIELD} .*|menuitem Delete|button .*)$`),
  },
  {
    may: 'create, change and try tools',
    minimum: 'developer',
    by: /^tools(?: opened)?: (?:button New tool|button (?:Save tool|Send|Try it|Add .*|Remove .*)|(?:textbox|combobox|checkbox|switch|radio|spinbutton) (?!Search ).*)$/,
  },
  {
    may: 'create, fill and delete knowledge bases',
    minimum: 'developer',
    by: /^knowledge.*: (?:button (?:New knowledge base|Add documents.*|Delete Towels)|menuitem Delete knowledge base)$/,
  },
  {
    may: 'connect, change and delete numbers',
    minimum: 'developer',
    by: /^numbers.*: (?:button (?:Add number|Save|Delete number)|(?:textbox|combobox|spinbutton) (?!Search).*)$/,
  },
  {
    may: 'place and stop calls, retry their webhooks and rebuild their transcripts',
    minimum: 'developer',
    by: /^calls.*: button (?:Call a number|Stop call|Retry .*|Enhance transcript)$/,
  },
  {
    may: 'create, run and cancel campaigns',
    minimum: 'developer',
    by: /^campaigns\S*: (?:link New campaign|button (?:Start|Pause|Add contacts|Cancel campaign))$/,
  },
  {
    // Only the last step creates it.
    may: 'prepare a campaign',
    minimum: 'viewer',
    by: /^campaigns\/new: (?!link )/,
  },
  {
    may: 'test endpoints and set secrets of assistants',
    minimum: 'developer',
    by: /^webhooks: button (?:Send a test|Test http.*|Set a secret of an assistant)$/,
  },
  {
    may: 'rotate the secret of the workspace',
    minimum: 'admin',
    by: /^webhooks: button Rotate the secret$/,
  },
  {
    may: 'create, change and revoke keys',
    minimum: 'admin',
    by: /^developers: button (?:Create a key|Settings of .*|Revoke .*)$/,
  },
  {
    may: 'limit the spending and the destinations of the workspace',
    minimum: 'owner',
    by: /^settings\?tab=workspace: \w+ (?:Daily spend limit.*|Allowed destinations)$/,
  },
  {
    may: 'name the workspace and set its time zone',
    minimum: 'admin',
    by: /^settings\?tab=workspace: \w+ (?:Name|Time zone)$/,
  },
  {
    may: 'save what they may change',
    minimum: 'admin',
    by: /^settings\?tab=workspace: button Save$/,
    otherwise: 'told',
  },
  {
    may: 'change and remove admins',
    minimum: 'owner',
    by: /^settings\?tab=members: (?:combobox Role of admin|button Remove admin)$/,
    otherwise: 'hidden',
  },
  {
    may: 'change and remove developers and viewers',
    minimum: 'admin',
    by: /^settings\?tab=members: (?:combobox Role of .*|button Remove .*)$/,
    otherwise: 'hidden',
  },
  {
    may: 'invite people and revoke invitations',
    minimum: 'admin',
    by: /^settings\?tab=members: button (?:Invite|Revoke the invitation of .*)$/,
  },
  {
    may: 'change the do-not-call list',
    minimum: 'developer',
    by: /^settings\?tab=do-not-call: (?:textbox Numbers|button (?:Add|Remove .*))$/,
  },
  {
    may: "erase a person's data",
    minimum: 'admin',
    by: /^settings\?tab=retention: (?:textbox Phone number|checkbox Keep the number.*|button Erase …)$/,
  },
  {
    may: 'decide how long data is kept',
    minimum: 'owner',
    by: /^settings\?tab=retention: textbox .*$/,
  },
  {
    may: 'save how long data is kept',
    minimum: 'owner',
    by: /^settings\?tab=retention: button Save$/,
    otherwise: 'told',
  },
  {
    may: 'read the audit log',
    minimum: 'admin',
    by: /^settings\?tab=audit: (?!tab )/,
    otherwise: 'told',
  },
  {
    may: 'leave the workspace, and change the own account',
    minimum: 'viewer',
    by: /^(?:settings\?tab=members: button Leave .*|settings\?tab=account: .*)$/,
  },
  {
    may: 'go elsewhere, open, search, filter, sort, copy, play and export',
    minimum: 'viewer',
    by: new RegExp(
      [
        ': (?:link|tab|menuitem Copy) ?',
        ': (?:textbox|searchbox) (?:Search|Filter)',
        ': button (?:Copy|Choose columns|Actions of|More actions|Close|Test$|Clear|Sort|Show)',
        '^calls\\S*: (?:button (?:Play|Pause|Back|Forward|Speed|check_availability|end_call|\\d+ Delivered)|slider|radio|checkbox|switch|combobox)',
        '^calls: button ',
        '^campaigns(?:/RUNNING|/CAMPAIGN)?: button Status',
        '^tools: button (?:check_availability|Kind)',
        '^knowledge/BASE: button Towels',
        '^(?:developers|webhooks): (?:radio|combobox) ',
      ].join('|'),
    ),
  },
];
