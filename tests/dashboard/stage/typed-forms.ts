import type { Locator, Page } from 'playwright-core';

export const FORM_NAMES = [
  'invite',
  'key',
  'do-not-call',
  'knowledge',
  'tool',
  'number',
  'call',
  'webhook-test',
  'knowledge-base',
  'assistant',
  'contacts',
  'erasure',
] as const;

export type FormName = (typeof FORM_NAMES)[number];

/** A form of the dashboard in which a person types. */
export type TypedForm = {
  name: FormName;
  path: string;
  isDialog: boolean;
  /** Its dialog or tab, if it is not there at once. */
  open(page: Page): Promise<void>;
  field(page: Page): Locator;
  /** For the field. */
  text: string;
  /** Another text, which can be sent after the first. */
  again: string;
  secret?(page: Page): Locator;
  /** Everything that is needed to send it. */
  fill(page: Page, which?: 'again'): Promise<void>;
  send(page: Page): Promise<void>;
  /** What shows that it was taken. */
  sent(page: Page): Locator;
};

type Ids = { baseId: string; agentId: string; campaignId: string };
type Short = Pick<TypedForm, 'name' | 'path' | 'text'> &
  Partial<TypedForm> & { button?: string; label: string; submit?: string; done?: string };

export function typedForms({ baseId, agentId, campaignId }: Ids): TypedForm[] {
  return [
    form({
      name: 'invite',
      path: 'settings?tab=members',
      button: 'Invite',
      label: 'E-mail address',
      text: 'linus@example.com',
      again: 'margaret@example.com',
      submit: 'Invite',
      done: 'is invited',
    }),
    form({
      name: 'key',
      path: 'developers',
      button: 'Create a key',
      label: 'Name',
      text: 'Shop',
      again: 'Warehouse',
      submit: 'Create the key',
      done: 'Copy it now',
    }),
    form({
      name: 'do-not-call',
      path: 'settings?tab=do-not-call',
      label: 'Numbers',
      text: '+14155550181\n+14155550182',
      again: '+14155550183',
      submit: 'Add',
      done: 'added',
    }),
    {
      ...form({
        name: 'knowledge',
        path: `knowledge/${baseId}`,
        button: 'Add documents',
        label: 'Text',
        text: 'We are open from 9 to 17.',
        again: 'Dogs are welcome.',
        submit: 'Add',
        done: 'Title of',
      }),
      open: async (page) => {
        await page.getByRole('button', { name: 'Add documents' }).first().click();
        await page.getByRole('tab', { name: 'Paste text' }).click();
      },
      fill: async (page, which) => {
        await page.getByRole('textbox', { name: 'Title' }).fill(`Title of ${which ?? 'it'}`);
        await page
          .getByRole('textbox', { name: 'Text', exact: true })
          .fill(which ? 'Dogs are welcome.' : 'We are open from 9 to 17.');
      },
    },
    {
      ...form({
        name: 'tool',
        path: `assistants/${agentId}?tab=tools`,
        button: 'Add tool',
        label: 'When to use it',
        text: 'Checks a day.',
        again: 'Checks a room.',
        done: 'is added',
      }),
      secret: (page) => page.getByLabel('Signing secret of this tool'),
      fill: async (page, which) => {
        const dialog = page.getByRole('dialog');
        await dialog.getByLabel('Name', { exact: true }).fill(which ? 'check_room' : 'check_day');
        await dialog.getByLabel('URL').fill('https://example.com/check');
        await dialog.getByLabel('When to use it').fill(which ? 'Checks a room.' : 'Checks a day.');
      },
      send: (page) => page.getByRole('dialog').getByRole('button', { name: 'Add tool' }).click(),
    },
    {
      ...form({ name: 'number', path: 'numbers', label: 'Address of the trunk', text: 'sip.example.com' }),
      isDialog: true,
      open: async (page) => {
        await page.getByRole('button', { name: 'Add number' }).first().click();
        await page.getByRole('menuitem', { name: 'Connect by SIP trunk' }).click();
      },
      secret: (page) => page.getByRole('dialog').getByLabel('Password', { exact: true }),
    },
    form({
      name: 'call',
      path: 'calls',
      button: 'Call a number',
      label: 'Number to call',
      text: '+12125550107',
    }),
    form({
      name: 'webhook-test',
      path: 'webhooks',
      button: 'Send a test',
      label: 'URL',
      text: 'https://example.com/hook',
    }),
    form({
      name: 'knowledge-base',
      path: 'knowledge',
      button: 'New knowledge base',
      label: 'Name',
      text: 'House',
    }),
    form({
      name: 'assistant',
      path: 'assistants',
      button: 'New assistant',
      label: 'Name',
      text: 'Front desk',
    }),
    {
      ...form({
        name: 'contacts',
        path: `campaigns/${campaignId}`,
        label: 'Rows of contacts',
        text: '+12125550117',
      }),
      isDialog: true,
      open: async (page) => {
        await page.getByRole('button', { name: 'Add contacts' }).click();
        await page.getByRole('tab', { name: 'Paste' }).click();
      },
    },
    form({
      name: 'erasure',
      path: 'settings?tab=retention',
      label: 'Phone number',
      text: '+12125550107',
    }),
  ];
}

function form({ button, label, submit = '', done = '', ...rest }: Short): TypedForm {
  const area = (page: Page) => (button ? page.getByRole('dialog') : page.locator('main'));
  const field = (page: Page) =>
    page
      .getByRole('dialog')
      .or(page.locator('main'))
      .getByRole('textbox', { name: new RegExp(`^${label}$`) })
      .last();
  const again = rest.again ?? '';
  return {
    isDialog: button !== undefined,
    again,
    field,
    open: async (page) => {
      if (button) await page.getByRole('button', { name: button, exact: true }).first().click();
    },
    fill: (page, which) => field(page).fill(which ? again : rest.text),
    send: (page) => area(page).getByRole('button', { name: submit, exact: true }).click(),
    sent: (page) => page.getByText(done).first(),
    ...rest,
  };
}
