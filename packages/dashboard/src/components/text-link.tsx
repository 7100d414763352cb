import { Anchor, type AnchorProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import { forwardRef } from 'react';

const LinkAnchor = forwardRef<HTMLAnchorElement, Omit<AnchorProps, 'href'>>((props, ref) => (
  <Anchor ref={ref} {...props} />
));

/** A link in text to another page, with the router's types. */
export const TextLink = createLink(LinkAnchor);
