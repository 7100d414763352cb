export { type AuditEntry, newAuditRecord } from './audit-record.ts';
export { changesBetween, SECRET_CHANGE } from './changes-between.ts';
export { maskPhoneNumber } from './mask-phone-number.ts';
export { recordAudit } from './record-audit.ts';
