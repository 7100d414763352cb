import { Anchor, type AnchorProps, Button, type ButtonProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { ComponentPropsWithRef } from 'react';

type PropsOf<Own> = Own & Omit<ComponentPropsWithRef<'a'>, keyof Own>;

/** A link of the router that looks like text. */
export const TextLink = createLink((props: PropsOf<AnchorProps>) => <Anchor {...props} />);

/** A link of the router that looks like a button. */
export const LinkButton = createLink((props: PropsOf<ButtonProps>) => <Button component="a" {...props} />);
