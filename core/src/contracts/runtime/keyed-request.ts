/** A request that makes the same run again however often it is sent within 24 hours. */
export interface KeyedRequest {
  idempotencyKey?: string
  /** Whose key it is: holder, method and path of a request. Default: this process's own. */
  idempotencyScope?: string
  /**
   * Whose memory the run recalls and writes. Default that of the run that it goes on from, else the shared one, whose owner is
   * the empty text.
   */
  owner?: string
  /** True: neither the run nor what goes on from it has more than the config says, whatever is asked for. Default false. */
  bounded?: boolean
  /** Span of the caller that the run is below, as W3C Trace Context writes it. What is not such a text is ignored. */
  traceparent?: string
  /** Called before the promise resolves, where the run was made by an earlier request. */
  onReplayed?: () => void
}
