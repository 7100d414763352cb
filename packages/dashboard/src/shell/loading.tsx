import { Center, Loader } from '@mantine/core';

/** While a page or the session takes its time. */
export function Loading() {
  return (
    <Center mih="60vh" role="status">
      <Loader aria-label="Loading" />
    </Center>
  );
}
