import { UnstyledButton } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { api } from '../app/client.ts';
import { notifyError } from '../app/notify.ts';
import { forgetSession, useSession } from '../app/session.ts';
import { ConfirmAction } from '../components/confirm-action.tsx';
import { LateMenu } from '../components/late-menu.tsx';
import { lazyComponent } from '../components/lazy-component.tsx';
import { hasDrafts } from '../drafts/draft-storage.ts';
import styles from './shell.module.css';

const load = () => import('./account-items.tsx');
const AccountItems = lazyComponent(load, 'AccountItems');

export function AccountMenu() {
  const { person } = useSession();
  const navigate = useNavigate();
  const signOut = async () => {
    await api.session.signOut();
    // The question about drafts has been answered.
    await navigate({ to: '/sign-in', ignoreBlocker: true });
    forgetSession();
  };
  const signOutNow = () => signOut().catch((error: unknown) => notifyError(error, 'You are still signed in'));
  const button = (
    <UnstyledButton className={styles.account}>
      <span className="visually-hidden">Account</span>
      <span className={styles.avatar} aria-hidden="true">
        {person.email.slice(0, 1).toUpperCase()}
      </span>
      <span className="truncate">{person.email}</span>
    </UnstyledButton>
  );
  return (
    <ConfirmAction
      title="Sign out and discard your drafts?"
      confirmLabel="Sign out"
      onConfirm={signOut}
      trigger={(ask) => (
        <LateMenu button={button} popup="menu" load={load}>
          <AccountItems
            button={button}
            onSignOut={() => (hasDrafts(person.id) ? ask() : void signOutNow())}
          />
        </LateMenu>
      )}
    >
      What you have changed but not saved, such as lists of contacts, is kept in this browser. When you sign
      out it is removed, so that nobody else finds it here.
    </ConfirmAction>
  );
}
