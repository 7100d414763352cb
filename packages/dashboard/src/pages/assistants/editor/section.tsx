import { Box, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

/** A group of fields with a heading that says what they are for. */
export function Section({
  title,
  about,
  children,
}: {
  title: string;
  about?: ReactNode;
  children: ReactNode;
}) {
  return (
    <Box component="section">
      <Title order={2} size="h5" mb={about ? 2 : 'sm'}>
        {title}
      </Title>
      {about && (
        <Text size="sm" c="dimmed" mb="sm">
          {about}
        </Text>
      )}
      <Stack gap="md">{children}</Stack>
    </Box>
  );
}
