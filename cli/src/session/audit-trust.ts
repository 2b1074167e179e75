import type { AuditAction, AuditDetails } from '@svc/core'
import { localCaller, openAuditLog, personalAuditDir } from '@svc/plugins'
import type { Io } from '../frame/io.ts'

/** Writes down which folder this person trusts, or no more. @throws SvcError `disk_full`, `store_unavailable` */
export function auditTrust(
  what: Extract<AuditAction, `trust.${string}`>,
  folder: string,
  env: Io['env'],
  details?: AuditDetails,
): void {
  openAuditLog(personalAuditDir(folder, env))({
    what,
    ...localCaller('command line'),
    folder,
    ...(details && { details }),
  })
}
