import type { Page } from 'playwright-core';

/** What the page sends, other than reads, waits until the returned function is called. */
export async function holdChanges(page: Page): Promise<() => void> {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/*', async (route) => {
    if (route.request().method() !== 'GET') await released;
    await route.continue();
  });
  return release;
}
