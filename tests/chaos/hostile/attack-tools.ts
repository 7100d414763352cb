import type { Random } from '@parley/testkit/load';
import { anyJson } from './any-json.ts';
import { type Attack, bearer, send } from './attack.ts';

/** The keywords of every draft that Ajv supports, with its own and OpenAPI's extensions. */
const KEYWORDS = [
  ...[
    '$id',
    '$ref',
    '$schema',
    '$async',
    '$anchor',
    '$dynamicAnchor',
    '$dynamicRef',
    '$recursiveAnchor',
    '$recursiveRef',
  ],
  ...[
    '$defs',
    '$vocabulary',
    '$comment',
    '$data',
    'definitions',
    'id',
    'type',
    'nullable',
    'enum',
    'const',
    'default',
  ],
  ...[
    'multipleOf',
    'maximum',
    'exclusiveMaximum',
    'minimum',
    'exclusiveMinimum',
    'maxLength',
    'minLength',
    'pattern',
  ],
  ...[
    'format',
    'formatMaximum',
    'formatMinimum',
    'formatExclusiveMaximum',
    'contentEncoding',
    'contentMediaType',
  ],
  ...[
    'items',
    'prefixItems',
    'additionalItems',
    'unevaluatedItems',
    'maxItems',
    'minItems',
    'uniqueItems',
    'contains',
  ],
  ...[
    'maxContains',
    'minContains',
    'properties',
    'patternProperties',
    'additionalProperties',
    'unevaluatedProperties',
  ],
  ...['propertyNames', 'required', 'maxProperties', 'minProperties', 'dependencies', 'dependentRequired'],
  ...[
    'dependentSchemas',
    'discriminator',
    'allOf',
    'anyOf',
    'oneOf',
    'not',
    'if',
    'then',
    'else',
    'contentSchema',
  ],
  ...[
    'title',
    'description',
    'examples',
    'deprecated',
    'readOnly',
    'writeOnly',
    'elements',
    'values',
    'metadata',
  ],
] as const;
const PATTERNS = [
  '^(a+)+$',
  '(',
  '\\p{L}{1,1000}',
  '(.*)*x',
  '^([a-z]{1,50}){1,50}$',
  '[\\s\\S]*'.repeat(50),
] as const;

/** A random parameter schema: any keywords, with valid or invalid values. */
function anySchema(random: Random, levels = 3): Record<string, unknown> {
  const schema: Record<string, unknown> = random.chance(0.7) ? { type: 'object' } : {};
  const count = 1 + Math.floor(random.upTo(5));
  for (let n = 0; n < count; n += 1) {
    const keyword = random.pick([...KEYWORDS] as [string, ...string[]]);
    schema[keyword] = valueFor(keyword, random, levels);
  }
  return schema;
}

function valueFor(keyword: string, random: Random, levels: number): unknown {
  if (random.chance(0.15) || levels === 0) return anyJson(random, 2);
  const inner = (): Record<string, unknown> => anySchema(random, levels - 1);
  if (keyword === '$async') return true;
  if (/ref$/i.test(keyword))
    return random.pick(['#', '#/properties/a', 'https://example.com/x', '#/$defs/a']);
  if (keyword === 'pattern') return random.pick([...PATTERNS] as [string, ...string[]]);
  if (keyword === 'type') return random.pick(['object', 'string', 'array', ['null', 'number'], 'integer']);
  if (/^(allOf|anyOf|oneOf|prefixItems)$/.test(keyword)) return [inner(), inner()];
  if (/(properties|definitions|\$defs|dependentSchemas|patternProperties)$/i.test(keyword)) {
    return { a: inner(), b: inner(), [random.pick([...PATTERNS] as [string, ...string[]])]: inner() };
  }
  if (/^(required|examples|enum)$/.test(keyword)) return ['a', 'b', 'a'];
  if (/^(max|min|multiple|exclusive)/.test(keyword)) return random.pick([0, 1, -1, 0.1, 1e308, 1e9]);
  return random.chance(0.7) ? inner() : random.chance(0.5);
}

function plainSchema(random: Random): Record<string, unknown> {
  const pattern = random.pick(['^(a+)+$', '^([a-z]{1,50}){1,50}$', '^a']);
  const a = { type: 'string', pattern, maxLength: random.pick([1, 1_000, 100_000]) };
  return {
    type: 'object',
    properties: { a, b: { type: 'integer' } },
    required: random.chance(0.5) ? ['a'] : [],
  };
}

/** Adds a tool with a random schema and a hostile endpoint to the assistant that answers the attacker's calls. */
export const attackTools: Attack = async (attacker, random) => {
  const { status } = await send(attacker, {
    method: 'POST',
    path: '/v1/tool/custom',
    headers: bearer(attacker.privateKey),
    body: JSON.stringify({
      agent_id: attacker.agentId,
      tool_name: `t${Math.floor(random.upTo(1e9))}`,
      description: 'Looks something up',
      endpoint_url: attacker.hostileUrl(random),
      http_method: random.pick(['GET', 'POST']),
      timeout_seconds: random.pick([1, 5, 30]),
      // Only accepted schemas are ever used, so some must be valid.
      parameters: random.chance(0.3) ? plainSchema(random) : anySchema(random),
    }),
  });
  return `tool ${status}`;
};
