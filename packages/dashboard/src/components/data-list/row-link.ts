import type { LinkProps } from '@tanstack/react-router';

/** The target of a router's link. */
export type RowLink = Pick<LinkProps, 'to' | 'params' | 'search' | 'hash'>;
