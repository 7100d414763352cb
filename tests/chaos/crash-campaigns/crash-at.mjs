// Preloaded (`node --import`) into a service that must die at a named point of its work. A point is a database statement:
// the process kills itself before the statement, after its result, or around the commit that follows. The service itself
// is unmodified.
import pg from 'pg';

let point;
process.on('message', ({ crashAt }) => {
  if (crashAt !== undefined) point = crashAt && { ...crashAt, statement: new RegExp(crashAt.statement) };
});
process.channel?.unref();

const die = () => process.kill(process.pid, 'SIGKILL');
const touched = new WeakSet();
const { query } = pg.Client.prototype;

pg.Client.prototype.query = function (...args) {
  const text = (typeof args[0] === 'string' ? args[0] : args[0]?.text) ?? '';
  const values = args[0]?.values ?? (Array.isArray(args[1]) ? args[1] : []);
  const hasValue = point?.value === undefined || values.includes(point.value);
  const isHit = hasValue && (point?.statement.test(text) ?? false);
  const isCommit = /^\s*COMMIT/i.test(text) && touched.delete(this);
  if (isHit) touched.add(this);
  if ((isHit && point.when === 'before') || (isCommit && point?.when === 'before commit')) die();
  const diesAfter = (isHit && point.when === 'after') || (isCommit && point?.when === 'after commit');
  if (!diesAfter) return query.apply(this, args);
  const callback = args.at(-1);
  if (typeof callback === 'function') args[args.length - 1] = die;
  const answer = query.apply(this, args);
  answer?.then?.(die);
  return answer;
};
