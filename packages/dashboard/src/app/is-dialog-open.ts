/** While a dialog or a menu is open, keys are its own. */
export function isDialogOpen(): boolean {
  return document.querySelector('dialog, [role="dialog"], [role="menu"]') !== null;
}
