type PlanNode = Record<string, unknown>;

/** The scans of the relations with this name in a query plan (JSON). */
export function scansOf(node: unknown, relation: RegExp): PlanNode[] {
  if (typeof node !== 'object' || node === null) return [];
  const inner = Object.values(node).flatMap((value) => scansOf(value, relation));
  const name = (node as PlanNode)['Relation Name'];
  return typeof name === 'string' && relation.test(name) ? [node as PlanNode, ...inner] : inner;
}
