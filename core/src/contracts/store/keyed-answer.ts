/** What is known of a request that is to be done once. */
export interface KeyedAnswer {
  /** The id of this record. */
  name: string
  bodyHash: string
  /** Of who does it. */
  token: string
  /** Milliseconds since the epoch: until then it is being done, where there is no answer yet. */
  heldUntil: number
  expiresAt: number
  /** Id of what it made, once it is done. */
  madeId?: string
}
