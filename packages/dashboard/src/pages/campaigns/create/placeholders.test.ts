import { describe, expect, it } from '@jest/globals';
import { fillText, missingValues, placeholdersOf, variablesOfContact } from './placeholders.ts';

const TEXT = 'Hello {{ contact_name }}, your {{bicycle}} is ready. Bye {{contact_name}}!';

describe('placeholders', () => {
  it('are found once each, in order', () => {
    expect(placeholdersOf(TEXT)).toEqual(['contact_name', 'bicycle']);
    expect(placeholdersOf('{{}} {{ }} {single}')).toEqual([]);
  });

  it('are filled with the name and the custom data of a contact, and empty without a value [campaigns.4]', () => {
    const variables = variablesOfContact({ contact_name: 'Grace', custom_data: { size: 3 } });
    expect(fillText(TEXT, variables)).toEqual([
      { text: 'Hello ' },
      { placeholder: 'contact_name', value: 'Grace' },
      { text: ', your ' },
      { placeholder: 'bicycle', value: '' },
      { text: ' is ready. Bye ' },
      { placeholder: 'contact_name', value: 'Grace' },
      { text: '!' },
    ]);
    expect(variables.get('size')).toBe('3');
  });

  it('without a value are counted over all contacts', () => {
    const contacts = [{ contact_name: 'Grace' }, { custom_data: { bicycle: 'tandem' } }, {}];
    expect(missingValues(['contact_name', 'bicycle'], contacts)).toEqual([
      { placeholder: 'contact_name', contacts: 2 },
      { placeholder: 'bicycle', contacts: 2 },
    ]);
  });
});
