import {
  cloneElement,
  type PointerEvent,
  type ReactElement,
  type ReactNode,
  Suspense,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react';
import { lazyComponent } from './lazy-component.tsx';

const load = () => import('./loaded-tooltip.tsx');
const LoadedTooltip = lazyComponent(load, 'LoadedTooltip', () => null);

type Props = {
  label: ReactNode;
  /** In lines of at most this width. */
  maw?: number;
  /** Passes these handlers on to its element. */
  children: ReactElement<{
    onPointerEnter?: (event: PointerEvent<HTMLElement>) => void;
    onPointerLeave?: () => void;
    'aria-describedby'?: string | undefined;
  }>;
};

const OPEN_DELAY_MS = 250;

/** Says more about an element that a person points at. Its code is loaded then. */
export function Tooltip({ label, maw, children }: Props) {
  const [target, setTarget] = useState<HTMLElement>();
  const opening = useRef<number>(undefined);
  const id = useId();
  const stopOpening = () => window.clearTimeout(opening.current);
  useEffect(() => stopOpening, []);
  useEffect(() => {
    if (!target) return;
    const onKey = ({ key }: KeyboardEvent) => {
      if (key === 'Escape') setTarget(undefined);
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [target]);
  const described = cloneElement(children, {
    'aria-describedby': target ? id : children.props['aria-describedby'],
    onPointerEnter: ({ pointerType, currentTarget }) => {
      if (pointerType !== 'mouse') return;
      stopOpening();
      opening.current = window.setTimeout(() => setTarget(currentTarget), OPEN_DELAY_MS);
      load().catch(() => undefined);
    },
    onPointerLeave: () => {
      stopOpening();
      setTarget(undefined);
    },
  });
  return (
    <>
      {described}
      {target ? (
        <Suspense>
          <LoadedTooltip
            target={target}
            opened
            label={<span id={id}>{label}</span>}
            {...(maw === undefined ? {} : { multiline: true, maw })}
          />
        </Suspense>
      ) : null}
    </>
  );
}
