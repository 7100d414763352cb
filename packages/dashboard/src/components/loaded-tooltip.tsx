// In a chunk of its own: it positions itself, which takes more code than most pages have.
export { Tooltip as LoadedTooltip } from '@mantine/core';
