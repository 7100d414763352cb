import { describe, expect, it } from '@jest/globals';
import { readPhoneNumber } from './phone-number.ts';

describe('readPhoneNumber [dashboard.72]', () => {
  it.each([
    ['+1 (415) 555-0199', '', '+14155550199'],
    ['+49 30 / 12\u00a034\u201156', '', '+4930123456'],
    ['0044 20 7946 0958', '', '+442079460958'],
    ["'+14155550199", '', '+14155550199'],
    ['tel:+14155550199', '', '+14155550199'],
    ['030 123456', '+49', '+4930123456'],
    ['415.555.0199', '+1', '+14155550199'],
    ['1 415 555 0199', '+1', '+14155550199'],
    ['06 6982', '+39', '+39066982'],
    ['347 1234567', '+39', '+393471234567'],
    ['0549 882914', '+378', '+3780549882914'],
    ['07 01 02 03 04', '+225', '+2250701020304'],
    ['8 (912) 345-67-89', '+7', '+79123456789'],
    ['912 345 67 89', '+7', '+79123456789'],
    ['06 30 123 4567', '+36', '+36301234567'],
    ['8 612 34567', '+370', '+37061234567'],
    ['80 29 123 45 67', '+375', '+375291234567'],
    ['0212 555 01 99', '+90', '+902125550199'],
    ['010 1234 5678', '+86', '+861012345678'],
    ['55 1234 5678', '+52', '+525512345678'],
  ])('%s with the country %j is %s', (cell, country, number) => {
    expect(readPhoneNumber(cell, country)).toEqual({ number });
  });

  it.each([
    ['', /No phone number/],
    ['n/a', /Not a phone number/],
    ['4.15556E+10', /spreadsheet has rounded/],
    ['030 123456', /No country code/],
    ['+12345', /Too short: 5 digits/],
    ['+1234567890123456', /Too long: 16 digits/],
    ['+0151234567', /never begins with 0/],
    ['+1415555<img>', /Not a phone number/],
  ])('%j is refused with the reason', (cell, problem) => {
    expect(readPhoneNumber(cell, '')).toEqual({ problem: expect.stringMatching(problem) });
  });
});
