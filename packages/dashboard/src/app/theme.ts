import { createTheme, type MantineColorsTuple } from '@mantine/core';

const iris: MantineColorsTuple = [
  '#f1f1fe',
  '#e2e2fb',
  '#c6c5f5',
  '#a7a5ee',
  '#8c89e8',
  '#7370e2',
  '#5f5bd8',
  '#5450cc',
  '#4743b4',
  '#38358f',
];

const gray: MantineColorsTuple = [
  '#fafafb',
  '#f4f4f6',
  '#e9e9ed',
  '#dcdce2',
  '#c4c4cd',
  '#9a9aa6',
  '#6b6b78',
  '#4d4d59',
  '#33333d',
  '#1d1d24',
];

const dark: MantineColorsTuple = [
  '#e6e6ea',
  '#b4b4be',
  '#9a9aa7',
  '#6c6c79',
  '#3b3b45',
  '#2e2e37',
  '#222229',
  '#18181d',
  '#131317',
  '#0d0d10',
];

export const theme = createTheme({
  primaryColor: 'iris',
  primaryShade: { light: 7, dark: 6 },
  colors: { iris, gray, dark },
  fontFamily: "'Inter Variable', system-ui, -apple-system, 'Segoe UI', sans-serif",
  fontFamilyMonospace:
    "ui-monospace, 'SF Mono', SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace",
  headings: { fontWeight: '600', sizes: { h1: { fontSize: '1.375rem', lineHeight: '1.3' } } },
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.125rem' },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  autoContrast: true,
  components: {
    Button: { defaultProps: { size: 'sm' } },
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray' } },
    // A dialog's head is no banner of the page.
    ModalHeader: { defaultProps: { role: 'presentation' } },
    DrawerHeader: { defaultProps: { role: 'presentation' } },
    Drawer: {
      defaultProps: { closeButtonProps: { 'aria-label': 'Close' } },
      styles: { title: { fontWeight: 600 } },
    },
    SegmentedControl: { defaultProps: { transitionDuration: 0 } },
    Modal: {
      styles: { title: { fontWeight: 600 } },
      defaultProps: {
        closeButtonProps: { 'aria-label': 'Close' },
        centered: true,
        overlayProps: { backgroundOpacity: 0.4, blur: 2 },
      },
    },
    Tooltip: { defaultProps: { withArrow: true } },
    Menu: { defaultProps: { shadow: 'md', position: 'bottom-end' } },
  },
});
