import { z } from 'zod';

/** A key as headers carry it. Files often end it with a line break. */
export const apiKey = z
  .string()
  .trim()
  .regex(/^[\x21-\x7e]+$/, 'must have printable ASCII characters only');
