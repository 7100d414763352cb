import { readFileSync } from 'node:fs';
import { type ZodType, z } from 'zod';

/** A variable that is JSON itself, or the path of a JSON file. */
export function jsonOrFile<S extends ZodType>(schema: S) {
  return z
    .string()
    .transform((value, ctx): unknown => {
      const isJson = /^\s*[[{]/.test(value);
      let text: string;
      try {
        text = isJson ? value : readFileSync(value, 'utf8');
      } catch {
        ctx.addIssue({
          code: 'custom',
          message: `must be JSON or the path of a JSON file: ${value} cannot be read`,
        });
        return z.NEVER;
      }
      try {
        return JSON.parse(text);
      } catch {
        ctx.addIssue({
          code: 'custom',
          message: isJson ? 'is not valid JSON' : `${value} is not valid JSON`,
        });
        return z.NEVER;
      }
    })
    .pipe(schema);
}
