/** What stands in an answer for a secret that is never returned. spec: Tools, masking rules. */
export const maskSecret = '********';
