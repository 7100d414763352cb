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
  it.each(['high', 'critical'])('fails on a hole of %s severity, and names it', (severity) => {
    const { ok, lines } = judgeAudit(report('low', severity));
    expect(ok).toBe(false);
    expect(lines).toContain(
      `${severity}: left-pad: Pads to the right (fixed in >=1.3.1) https://example.com/advisory`,
    );
    expect(lines.at(-1)).toBe('Known holes in dependencies: 1 high or critical, 1 lesser');
  });

  it.each([[[]], [['low', 'moderate', 'info']]])('takes %j', (severities) => {
    expect(judgeAudit(report(...severities)).ok).toBe(true);
  });

  it.each(['', 'Error: ERR_PNPM_AUDIT_BAD_RESPONSE', '{"error":{"code":"ERR"}}'])(
    'an answer that is no report (%s) is no finding, and is shown',
    (output) => {
      const { ok, lines } = judgeAudit(output);
      expect(ok).toBe(true);
      expect(lines[0]).toBe('The registry could not be asked for known holes:');
      expect(lines.slice(1).join('')).toBe(output);
    },
  );
});
