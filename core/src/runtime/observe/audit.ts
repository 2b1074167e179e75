import type { AuditAction, AuditDetails, Caller } from '../../contracts/runtime/runtime.ts'
import type { Environment } from '../environment.ts'

/** Writes down who decides what, before it takes effect. @throws as `Audit` */
export function audit(
  { audit: write, space }: Pick<Environment, 'audit' | 'space'>,
  { who, from }: Caller,
  what: AuditAction,
  details: AuditDetails = {},
): void {
  write({ what, who, from, folder: space, details })
}
