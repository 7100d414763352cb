import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { SignInFrame } from '../pages/sign-in/sign-in-frame.tsx';

/** An address without a page belongs to no workspace: it is shown without the navigation. */
export function NotFound() {
  return (
    <SignInFrame
      title="There is no such page"
      description="The address may be misspelled, or what it leads to was deleted."
    >
      <Button component={Link} to="/" variant="default" fullWidth>
        Go to the start page
      </Button>
    </SignInFrame>
  );
}
