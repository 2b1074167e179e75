/** What is at a path of the workspace; a link is not followed. */
export interface PathState {
  readonly kind: 'file' | 'folder' | 'link'
  /** Permission bits; absent of a link. */
  readonly mode?: number
  /** Of the content of a file, or of what a link says. */
  readonly sha256?: string
  readonly bytes?: number
}

/** The same with its content, as far as it may be kept. */
export interface PathContent extends PathState {
  /** The content of a file, or what a link says. */
  readonly content?: Uint8Array
  /** Why there is none. */
  readonly lost?: LostContent
}

/** Too large for a file, or for all of a run; a secret, which is never kept. */
export type LostContent = 'large' | 'full' | 'secret'

/** What a call changes at a path; undefined: nothing is there. */
export interface FileChange {
  /** From the workspace, with `/`, links of its folders resolved. */
  readonly path: string
  readonly before: PathContent | undefined
  readonly after: PathContent | undefined
}

/** A state without its content, which is a payload of the run unless it is lost. */
export interface RecordedState extends PathState {
  readonly lost?: LostContent
}

/** What a call changed at a path; absent: nothing was there. */
export interface RecordedChange {
  readonly path: string
  readonly before?: RecordedState
  readonly after?: RecordedState
}

/** What one call changed. */
export interface SeenChanges {
  readonly agentId: string
  readonly callId: string
  readonly changes: readonly RecordedChange[]
  /** What else it may have changed, in words. */
  readonly unseen?: string
}

/** The same, with the number of the newest event when it was recorded. */
export interface CallChanges extends SeenChanges {
  readonly seq: number
}

/** A path that is put back. */
export interface Restoration {
  readonly path: string
  /** What has to be there now, or nothing is put back. */
  readonly now: PathState | undefined
  readonly to: PathContent | undefined
}
