import type { Mail } from './mails.store.ts';

type Text = { subject: string; text: string };

export function invitationLetter(mail: Extract<Mail, { kind: 'invitation' }>): Text {
  return {
    subject: `Invitation to ${oneLine(mail.workspaceName)}`,
    text: [
      `${mail.invitedBy} invites you to the workspace "${oneLine(mail.workspaceName)}" on Parley as ${mail.role}.`,
      `Accept the invitation here:\n${mail.url}`,
      'If you did not expect it, ignore this mail: nothing happens without the link.',
    ].join('\n\n'),
  };
}

export function proofLetter(url: string): Text {
  return {
    subject: 'Confirm your e-mail address',
    text: [
      `Open this link in the browser in which you are signed in to Parley:\n${url}`,
      'It is valid for one day. If you did not request it, ignore this mail.',
    ].join('\n\n'),
  };
}

export function resetLetter(url: string): Text {
  return {
    subject: 'Set a new password',
    text: [
      `Set a new password for your Parley account here:\n${url}`,
      'The link is valid for one hour and can be used once. If you did not request it, ignore this mail: your password stays unchanged.',
    ].join('\n\n'),
  };
}

/** A workspace name must not be able to start a line of its own. */
function oneLine(name: string): string {
  return name.replace(/\s+/g, ' ').slice(0, 255);
}
