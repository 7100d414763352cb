import { describe, expect, it } from '@jest/globals';
import { runAudit } from './run-audit.ts';

const CLEAN = JSON.stringify({ advisories: {} });
const SEVERE = JSON.stringify({
  advisories: { 1: { module_name: 'left-pad', severity: 'critical', title: 'Pads to the right' } },
});
const REFUSED = '{"error":{"code":"ERR_PNPM_AUDIT_BAD_RESPONSE","message":"responded with 405"}}';

/** Runs an audit with these consecutive responses of the registry. */
const audit = async (...answers: string[]) => {
  const pauses: number[] = [];
  let asked = 0;
  const result = await runAudit(
    async () => {
      asked += 1;
      return answers[asked - 1] ?? REFUSED;
    },
    async (ms) => void pauses.push(ms),
  );
  return { ...result, asked, pauses };
};

describe('runAudit', () => {
  it('reports that nothing was audited, and why, after three tries without a report', async () => {
    const { exitCode, lines, asked, pauses } = await audit(REFUSED, '', REFUSED);
    expect(exitCode).toBe(2);
    expect(lines[0]).toMatch(/^NOT AUDITED: .* 3 tries/);
    expect(lines.join()).toContain('responded with 405');
    expect(asked).toBe(3);
    expect(pauses).toEqual([3_000, 6_000]);
  });

  it('accepts a report of a later try', async () => {
    expect(await audit(REFUSED, CLEAN)).toMatchObject({ exitCode: 0, asked: 2 });
    expect(await audit(REFUSED, REFUSED, SEVERE)).toMatchObject({ exitCode: 1, asked: 3 });
  });

  it('stops after a first report', async () => {
    expect(await audit(CLEAN)).toMatchObject({ exitCode: 0, asked: 1, pauses: [] });
    expect(await audit(SEVERE)).toMatchObject({ exitCode: 1, asked: 1 });
  });
});
