// JSON Schema keywords that the parameters of a custom tool can use [tools.10]. All others are rejected: validators interpret
// keywords of their own (Ajv: `$async`), and add more with every release.

/** Arguments are validated against these before a tool is used. */
export const VALIDATED_SCHEMA_KEYWORDS = [
  'type',
  'nullable',
  'enum',
  'properties',
  'required',
  'additionalProperties',
  'patternProperties',
  'propertyNames',
  'minProperties',
  'maxProperties',
  'dependencies',
  'items',
  'additionalItems',
  'contains',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minLength',
  'maxLength',
  'pattern',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
] as const;

/** The model reads these; arguments are not validated against them. */
export const DESCRIPTIVE_SCHEMA_KEYWORDS = [
  'title',
  'description',
  'default',
  'example',
  'examples',
  'format',
  'deprecated',
  'readOnly',
  'writeOnly',
  'propertyOrdering',
  'contentEncoding',
  'contentMediaType',
  'dependentRequired',
  'dependentSchemas',
  'prefixItems',
  'unevaluatedItems',
  'unevaluatedProperties',
  'minContains',
  'maxContains',
  'definitions',
  '$defs',
  '$comment',
] as const;

/** Identify a schema: allowed at its root, never fetched. */
export const NAMING_SCHEMA_KEYWORDS = ['$schema', '$id'] as const;
