/** How far is looked. */
export interface Reach {
  /** True: also at runs and conversations of other folders that share the store, which can be read here and nothing else. Default false. */
  all?: boolean
  /** Only at what belongs to this owner: see `KeyedRequest.owner`. Default at everybody's. */
  owner?: string
}
