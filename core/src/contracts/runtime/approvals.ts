import type { ListQuery, Page } from '../page.ts'
import type { Approval, Decision } from '../run/approval.ts'

/** Questions to people. */
export interface ApprovalApi {
  list(query?: ListQuery & { status?: Approval['status'] }): Promise<Page<Approval>>
  get(id: string): Promise<Approval>
  resolve(id: string, decision: Decision): Promise<Approval>
}
