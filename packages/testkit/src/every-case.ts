/** Whether tests of many combinations try every one (`npm test -- --full`) instead of a selection that has each case somewhere. */
export const everyCase = process.env.EVERY_CASE === '1';
