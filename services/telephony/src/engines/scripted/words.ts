/** Words without information about the topic. */
const COMMON = new Set(
  'about after again agent assistant being caller customer could does during every given have human into please something tell that their them then there these they thing this those using what when where which while will with would your number call calls called value'.split(
    ' ',
  ),
);

/** The topic words of a text in lower case, with a minimum number of letters. */
export function topicWords(text: string, letters = 5): string[] {
  const all = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return all.filter((word) => word.length >= letters && !COMMON.has(word));
}
