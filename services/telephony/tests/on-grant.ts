import { randomUUID } from 'node:crypto';
import type { Harness } from './harness.ts';

/** Does something in the transaction that grants a dial: after the dialer has asked, and before the dial departs. */
export async function onGrant(harness: Harness, to: string, statement: string): Promise<void> {
  const name = `on_grant_${randomUUID().replaceAll('-', '')}`;
  await harness.sql.$executeRawUnsafe(
    `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${statement}; RETURN NULL; END $$`,
  );
  await harness.sql.$executeRawUnsafe(
    `CREATE TRIGGER ${name} AFTER INSERT OR UPDATE ON calls FOR EACH ROW
     WHEN (NEW.phase = 'dialing' AND NEW.to_number = '${to}') EXECUTE FUNCTION ${name}()`,
  );
}
