import { Select, TextInput } from '@mantine/core';
import { api, queryClient } from '../../app/client.ts';
import { isAtLeast, ROLES } from '../../app/roles.ts';
import { type Role, useSession } from '../../app/session.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { ShownOnceDialog } from '../../components/shown-once-dialog.tsx';
import { ShownOnceGuard } from '../../components/shown-once-guard.tsx';
import { DraftNote } from '../../drafts/draft-note.tsx';
import { useDraft } from '../../drafts/use-draft.ts';
import { useSend } from '../../drafts/use-send.ts';

const NOBODY: { email: string; role: Role } = { email: '', role: 'developer' };

/** Invites a person and shows the link, once. */
export function InviteDialog({ onClose }: { onClose: () => void }) {
  const { workspace } = useSession();
  const draft = useDraft('invite', NOBODY);
  const { email, role } = draft.value;
  const invite = useSend(draft, {
    subject: (sent) => `Invitation of ${sent.email.trim()}`,
    send: (sent, request) => api.members.invite(sent, request),
    onSuccess: (_, sent) => {
      draft.settle(sent, NOBODY);
      void queryClient.invalidateQueries({ queryKey: ['members'] });
    },
  });
  const guard = <ShownOnceGuard what="link" isActive={invite.isPending || invite.data !== undefined} />;
  if (invite.data)
    return (
      <>
        {guard}
        <ShownOnceDialog
          title={`${invite.data.email} is invited`}
          value={invite.data.invitation_url}
          what="link"
          onClose={onClose}
        >
          Pass this link on. It is shown once and works once; where this installation sends mail, it was
          mailed too, unless the address has had five of them in this hour.
        </ShownOnceDialog>
      </>
    );
  return (
    <>
      {guard}
      <FormDialog
        onClose={onClose}
        mutation={invite}
        onSubmit={invite.submit}
        title="Invite a person"
        submitLabel="Invite"
        closeOnClickOutside={false}
      >
        <DraftNote draft={draft} />
        <TextInput
          label="E-mail address"
          type="email"
          required
          withAsterisk={false}
          value={email}
          onChange={(event) => draft.change({ email: event.currentTarget.value })}
          data-autofocus
        />
        <Select
          label="Role"
          data={ROLES.filter((known) => isAtLeast(workspace.role, known))}
          value={role}
          onChange={(value) => draft.change({ role: ROLES.find((known) => known === value) ?? role })}
          allowDeselect={false}
        />
      </FormDialog>
    </>
  );
}
