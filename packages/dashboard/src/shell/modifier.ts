/** The key of shortcuts, as it is called on this machine. */
export const MODIFIER = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘' : 'Ctrl';
