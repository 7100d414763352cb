import { z } from 'zod';

const analysisField = z
  .object({
    type: z.enum(['string', 'number', 'boolean', 'enum']),
    name: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, {
      error: 'must begin with a letter or underscore and hold letters, digits and underscores alone',
    }),
    description: z.string(),
    required: z.boolean().optional(),
    examples: z.string().optional(),
    choices: z.array(z.string().min(1)).optional(),
  })
  .superRefine(({ type, choices }, ctx) => {
    if (type !== 'enum' || (choices && choices.length > 0)) return;
    const message = 'is required and must not be empty for a field of type enum';
    ctx.addIssue({ code: 'custom', path: ['choices'], message, params: { code: 'required' } });
  });

/** `settings.postCallAnalysis.fields` (D3.5): each name once, since it is a key of `analysis_data`. */
export const analysisFields = z.array(analysisField).superRefine((fields, ctx) => {
  const seen = new Set<string>();
  for (const [i, { name }] of fields.entries()) {
    if (seen.has(name)) {
      const message = 'must be unique among the fields';
      ctx.addIssue({ code: 'custom', path: [i, 'name'], message, params: { code: 'not_allowed' } });
    }
    seen.add(name);
  }
});
