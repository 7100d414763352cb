import type { SnapshotTool } from '@parley/contracts';
import { Ajv, type ValidateFunction } from 'ajv';

const ajv = new Ajv({
  strict: false,
  allErrors: false,
  validateFormats: false,
  addUsedSchema: false,
  logger: false,
});

/** Compiled once per snapshot of a tool: calls of one assistant share it. */
const compiled = new WeakMap<SnapshotTool, ValidateFunction | null>();

/** What is wrong with the arguments by the tool's JSON Schema; null: nothing. A schema that can't be read holds nothing up. */
export function checkArguments(tool: SnapshotTool, args: Record<string, unknown>): string | null {
  const validate = validatorOf(tool);
  if (!validate || validate(args)) return null;
  return `The arguments do not fit the tool: ${ajv.errorsText(validate.errors, { dataVar: 'arguments' })}`;
}

function validatorOf(tool: SnapshotTool): ValidateFunction | null {
  const known = compiled.get(tool);
  if (known !== undefined) return known;
  const validate = compile(tool.parameters);
  compiled.set(tool, validate);
  return validate;
}

function compile(parameters: SnapshotTool['parameters']): ValidateFunction | null {
  if (!parameters || Object.keys(parameters).length === 0) return null;
  try {
    return ajv.compile({ type: 'object', ...parameters });
  } catch {
    return null;
  }
}
