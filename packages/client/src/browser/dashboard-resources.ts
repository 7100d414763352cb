import * as contract from '@parley/contracts';

/** The methods of the dashboard's client, besides those of the public API, and their endpoints in the contract. */
export const dashboardResources = {
  session: {
    methods: contract.getSignInMethods,
    signIn: contract.signIn,
    sendCode: contract.finishSignIn,
    useLink: contract.signInByLink,
    get: contract.getSession,
    selectWorkspace: contract.pickWorkspace,
    signOut: contract.signOut,
    list: contract.listSessions,
    revoke: contract.revokeSession,
  },
  account: {
    changePassword: contract.changePassword,
    forgotPassword: contract.mailPasswordReset,
    resetPassword: contract.resetPassword,
    mailAddressProof: contract.mailAddressProof,
    confirmAddress: contract.confirmAddress,
  },
  secondFactor: {
    get: contract.getSecondFactor,
    begin: contract.beginSecondFactor,
    enable: contract.enableSecondFactor,
    renewRecoveryCodes: contract.renewRecoveryCodes,
    disable: contract.disableSecondFactor,
  },
  invitations: {
    read: contract.readInvitation,
    accept: contract.acceptInvitation,
  },
  members: {
    list: contract.listMembers,
    invite: contract.inviteMember,
    change: contract.changeMember,
    remove: contract.removeMember,
    leave: contract.leaveWorkspace,
  },
  keys: {
    list: contract.listKeys,
    get: contract.getKey,
    create: contract.createKey,
    change: contract.changeKey,
    revoke: contract.revokeKey,
  },
  workspace: {
    get: contract.getWorkspace,
    update: contract.updateWorkspace,
    rotateWebhookSecret: contract.rotateWebhookSecret,
  },
} as const;
