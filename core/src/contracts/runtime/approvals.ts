import type { ListQuery, Page } from '../page.ts'
import type { Approval, Decision } from '../run/approval.ts'
import type { Reach } from './reach.ts'

/** Questions to people. */
export interface ApprovalApi {
  list(query?: ListQuery & Reach & { status?: Approval['status'] }): Promise<Page<Approval>>
  get(id: string, reach?: Reach): Promise<Approval>
  /**
   * @param by who answers, as the log names it; default `user`
   * @throws ConflictError `approval_closed` for one that was answered, or whose run has ended; ValidationError
   *   `validation_failed` for what is no decision, or gives more than the question offers; ConfigError `config_invalid` where the
   *   rule of `always` cannot be written. The question stays open then
   */
  resolve(id: string, decision: Decision, by?: string): Promise<Approval>
}
