import type { ErrorDetail } from '@parley/contracts';
import { isJsonObject, type JsonObject } from '../json-object.ts';
import { type HeldSchema, schemasIn } from './schemas-in.ts';

/** `path` is inside the parameters. */
export type Finding = Omit<ErrorDetail, 'path'> & { path: string[] };

const UNSUPPORTED = ['const', 'oneOf', 'anyOf', 'allOf', 'not', '$ref', 'if', 'then', 'else'];
/** Whoever checks arguments compiles the schema, which takes about a tenth of a millisecond for each one in it. */
const MOST_SCHEMAS = 300;

/**
 * Keywords that a model can't be told of, wherever they hide: in parameters, nested objects, array items and whatever
 * else holds a schema (spec: POST /v1/tool/custom). Data such as `enum`, `default` and `examples` is not looked into.
 */
export function findUnsupported(parameters: JsonObject): Finding[] {
  const held: HeldSchema[] = [];
  for (const one of schemasIn(parameters)) {
    if (held.push(one) > MOST_SCHEMAS) return [{ path: [], code: 'too_big', message: TOO_MANY }];
  }
  return held.flatMap(({ schema, path }) =>
    isJsonObject(schema)
      ? refusedIn(schema, path)
      : [{ path, code: 'invalid_type', message: 'must be an object' }],
  );
}

const TOO_MANY = `must have at most ${MOST_SCHEMAS} parameters and other schemas, nested ones included`;

function refusedIn(schema: JsonObject, path: string[]): Finding[] {
  return UNSUPPORTED.filter((keyword) => Object.hasOwn(schema, keyword)).map((keyword) => ({
    path: [...path, keyword],
    code: 'not_allowed',
    message: keyword === 'const' ? 'is not supported: use an enum with one value' : 'is not supported',
  }));
}
