import {
  cloneElement,
  type ReactElement,
  type ReactNode,
  type Ref,
  type RefObject,
  Suspense,
  startTransition,
  useEffect,
  useRef,
  useState,
} from 'react';
import { notifyError } from '../app/notify.ts';

/** The button of a menu, before and after it is loaded. */
export type MenuButton = ReactElement<{
  ref?: Ref<HTMLButtonElement>;
  onClick?: () => void;
  onPointerEnter?: () => void;
  onFocus?: () => void;
  'aria-haspopup'?: 'menu' | 'dialog';
  'aria-expanded'?: boolean;
}>;

type Props = {
  button: MenuButton;
  popup: 'menu' | 'dialog';
  load: () => Promise<unknown>;
  /** The same button with its menu (`useOpenAtOnce`), which is loaded late. */
  children: ReactNode;
};

/** A button whose menu is loaded when a person reaches for it: menus position themselves, which takes more code than most pages have. */
export function LateMenu({ button, popup, load, children }: Props) {
  const [isWanted, setWanted] = useState(false);
  const prepare = () => void load().catch(() => undefined);
  const open = () => {
    load().then(
      // The button stays until the menu is there.
      () => startTransition(() => setWanted(true)),
      (error: unknown) => notifyError(error),
    );
  };
  return (
    <Suspense>
      {isWanted
        ? children
        : cloneElement(button, {
            'aria-haspopup': popup,
            'aria-expanded': false,
            onClick: open,
            onPointerEnter: prepare,
            onFocus: prepare,
          })}
    </Suspense>
  );
}

/** The button of a menu that was loaded since it was clicked: it gets that click. */
export function useOpenAtOnce(): RefObject<HTMLButtonElement | null> {
  const button = useRef<HTMLButtonElement>(null);
  const isDone = useRef(false);
  useEffect(() => {
    if (isDone.current) return;
    isDone.current = true;
    button.current?.focus({ preventScroll: true });
    button.current?.click();
  }, []);
  return button;
}
