import { describe, expect, it } from '@jest/globals';
import { judgeAudit } from './judge-audit.ts';

const advisory = (severity: string) => ({
  ...{ module_name: 'left-pad', severity, title: 'Pads to the right', patched_versions: '>=1.3.1' },
  url: 'https://example.com/advisory',
});
const report = (...severities: string[]): string =>
  JSON.stringify({
    actions: [],
    advisories: Object.fromEntries(severities.map((severity, i) => [String(i), advisory(severity)])),
    metadata: {},
  });

describe('judgeAudit', () => {
  it.each(['high', 'critical'])('fails on a vulnerability of %s severity, and reports it', (severity) => {
    const { outcome, lines } = judgeAudit(report('low', severity));
    expect(outcome).toBe('vulnerable');
    expect(lines).toContain(
      `${severity}: left-pad: Pads to the right (fixed in >=1.3.1) https://example.com/advisory`,
    );
    expect(lines.at(-1)).toBe('Known vulnerabilities in dependencies: 1 high or critical, 1 lesser');
  });

  it.each([[[]], [['low', 'moderate', 'info']]])('accepts %j', (severities) => {
    expect(judgeAudit(report(...severities)).outcome).toBe('clean');
  });

  it.each(['', 'Error: ERR_PNPM_AUDIT_BAD_RESPONSE', '{"error":{"code":"ERR"}}'])(
    'reports output that is not a report (%s), which says nothing about the dependencies',
    (output) => {
      const { outcome, lines } = judgeAudit(output);
      expect(outcome).toBe('not audited');
      expect(lines.join('')).toBe(output);
    },
  );
});
