import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, Suspense } from 'react';
import { lazyComponent } from '../components/lazy-component.tsx';
import { queryClient } from './client.ts';
import { cspNonce } from './csp-nonce.ts';
import { hasNotifications } from './notify.ts';
import { useStore } from './store.ts';
import { theme } from './theme.ts';

const colorSchemeManager = localStorageColorSchemeManager();

const Notifications = lazyComponent(() => import('@mantine/notifications'), 'Notifications');

const styleNonce = () => cspNonce() ?? '';

export function Providers({ children }: { children: ReactNode }) {
  const isNotifying = useStore(hasNotifications);
  return (
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      colorSchemeManager={colorSchemeManager}
      getStyleNonce={styleNonce}
    >
      <QueryClientProvider client={queryClient}>
        {children}
        <Suspense>{isNotifying ? <Notifications position="bottom-right" limit={4} /> : null}</Suspense>
      </QueryClientProvider>
    </MantineProvider>
  );
}
