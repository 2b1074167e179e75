import type { Audit, AuditAction, AuditDetails, Caller } from '../../contracts/runtime/runtime.ts'

/** Writes down who decides what, before it takes effect. @throws as `Audit` */
export function audit(
  { audit: write, space }: { audit: Audit; space: string | undefined },
  { who, from }: Caller,
  what: AuditAction,
  details: AuditDetails = {},
): void {
  write({ what, who, from, folder: space, details })
}
