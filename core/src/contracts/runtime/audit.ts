/** Who asks for something, and from where. */
export interface Caller {
  /** A name, such as `owner` or `local alice`. */
  readonly who: string
  /** Such as `command line`, `program`, or `http 127.0.0.1`. */
  readonly from: string
}

/** What is written down of who decided. */
export type AuditAction =
  | 'approval.answered'
  | 'question.answered'
  | 'run.cancelled'
  | 'run.deleted'
  | 'run.forked'
  | 'run.imported'
  | 'run.resumed'
  | 'run.steered'
  | 'run.undone'
  | 'runs.pruned'
  | 'thread.deleted'
  | 'agent.saved'
  | 'agent.deleted'
  | 'memory.written'
  | 'memory.changed'
  | 'memory.deleted'
  | 'trust.given'
  | 'trust.removed'
  | 'key.refused'
  | 'person.signed_in'
  | 'config.reloaded'
  | 'policy.rule_added'
  | 'store.restored'
  | 'server.started'
  | 'server.stopped'

/** More about what was decided: ids, names, counts and hashes. Absent fields are left out. */
export type AuditDetails = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>

/** One decision. */
export interface AuditEntry extends Pick<Caller, 'who' | 'from'> {
  readonly what: AuditAction
  /** The folder that it is about, as runs name it. */
  readonly folder?: string | undefined
  readonly details?: AuditDetails
}

/**
 * Writes down a decision before it takes effect.
 *
 * @throws SvcError `disk_full`, `store_unavailable` where it cannot be written: then nothing is decided
 */
export type Audit = (entry: AuditEntry) => void
