/** Replaces secrets in responses [tools.5]. */
export const maskSecret = '********';
