import { Group, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react';
import styles from './page.module.css';

type Props = {
  title: string;
  /** Beside the title: a status, a count. */
  badge?: ReactNode;
  description?: ReactNode;
  /** Above the title: links to where this page belongs. */
  trail?: ReactNode;
  /** Buttons at the right. */
  actions?: ReactNode;
  /** Uses the whole width of the window, for editors. */
  wide?: boolean;
  children: ReactNode;
};

/** Of the page before, such as the one that showed that this one was loading. */
let wasFocused = false;

/** The frame of every page: its heading, which is also the title of the tab, and its actions. */
export function Page({ title, badge, description, trail, actions, wide = false, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    const element = heading.current;
    if (wasFocused) element?.focus({ preventScroll: true });
    wasFocused = false;
    return () => {
      wasFocused = document.activeElement === element;
    };
  }, []);
  useEffect(() => {
    document.title = `${title} · Parley`;
  }, [title]);
  return (
    <div className={styles.page} data-wide={wide || undefined}>
      {trail ? <div className={styles.trail}>{trail}</div> : null}
      <header className={styles.header}>
        <div className={styles.heading}>
          <Group gap="xs" wrap="wrap">
            <Title ref={heading} order={1} tabIndex={-1}>
              {title}
            </Title>
            {badge}
          </Group>
          {description ? (
            <Text c="dimmed" size="sm" mt={4} maw={720}>
              {description}
            </Text>
          ) : null}
        </div>
        {actions ? <Group gap="xs">{actions}</Group> : null}
      </header>
      {children}
    </div>
  );
}
