import { placeOf } from './focus-place.ts';

/** Finds where the focus belongs when the control may be gone. */
export type Place = () => HTMLElement | null;

let last: Place | undefined;

/** Of the control that had the focus last, unless the person has left it: an item of a menu is gone when its dialog opens. */
export const lastPlace = (): Place | undefined => last;

export function notePlace(control: HTMLElement | undefined): Place | undefined {
  last = control && placeOf(control);
  return last;
}

/** Of an item of a menu the button of the menu. */
export function ownerOf(control: HTMLElement): HTMLElement | null {
  const menu = control.closest('[role="menu"]');
  return menu ? document.getElementById(menu.getAttribute('aria-labelledby') ?? '') : control;
}
