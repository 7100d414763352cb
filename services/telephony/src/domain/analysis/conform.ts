import type { AnalysisField } from '../conversation/call-config.ts';

/**
 * What an analyser has found, by the types that were asked for (D3.5): each field's value has its type or is null, and
 * nothing else is told. Null where nothing was found at all, rather than an object full of nulls.
 */
export function conform(
  fields: readonly AnalysisField[],
  found: Readonly<Record<string, unknown>>,
): Record<string, unknown> | null {
  const values = fields.map((field) => {
    const value = Object.hasOwn(found, field.name) ? found[field.name] : null;
    return [field.name, isOf(field, value) ? value : null] as const;
  });
  return values.some(([, value]) => value !== null) ? Object.fromEntries(values) : null;
}

function isOf({ type, choices }: AnalysisField, value: unknown): boolean {
  switch (type) {
    case 'string':
      return typeof value === 'string' && value.trim() !== '';
    case 'number':
      return Number.isFinite(value);
    case 'boolean':
      return typeof value === 'boolean';
    case 'enum':
      return choices.some((choice) => choice === value);
  }
}
