import type { FieldError } from '../../errors.ts'

/** Who asks for a run. */
export interface Asker {
  /**
   * Whose memory the run recalls and writes. Default that of the run that it goes on from, else the shared one, whose owner is
   * the empty text.
   */
  owner?: string
  /** Who asks, as the run and its log name its maker. Absent: a program of this machine. */
  by?: string
  /**
   * Called with an option that gives the run more than the config allows; what it throws refuses the run. Where it is given, the
   * run takes over no permission of another, and never has more than the config of who works on it allows.
   */
  onLoosened?: (field: FieldError) => void
}

/** A request that makes the same run again however often it is sent within 24 hours. */
export interface KeyedRequest extends Asker {
  idempotencyKey?: string
  /** Whose key it is: holder, method and path of a request. Default: this process's own. */
  idempotencyScope?: string
  /** Span of the caller that the run is below, as W3C Trace Context writes it. What is not such a text is ignored. */
  traceparent?: string
  /** Called before the promise resolves, where the run was made by an earlier request. */
  onReplayed?: () => void
}
