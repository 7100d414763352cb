/** The dashboard's page for a token. Behind the `#`, it reaches no server and no log. */
export const invitationLink =
  (publicUrl: string) =>
  (token: string): string =>
    `${publicUrl.replace(/\/$/, '')}/dashboard/invitation#${token}`;
