import type { StepRow } from '../../contracts/log/journal.ts'
import type {
  CallChanges,
  FileChange,
  PathContent,
  PathState,
  RecordedChange,
  RecordedState,
  SeenChanges,
} from '../../contracts/tool/file-change.ts'
import type { Redactor } from '../../support/secrets.ts'

/** With what the keys of steps begin that say what calls changed. They are of one run alone: no fork and no file has them. */
const KEY = 'files/'
/** Of all that one run keeps of files. */
const MOST_KEPT_BYTES = 100_000_000

/** Where it is kept: see `CallRecorder`. */
interface ChangeRecorder {
  keep(bytes: Uint8Array): Promise<string>
  note(key: string, outcome: unknown): void
  flush(): Promise<void>
}

/** Whether a step says what a call changed. */
export const isFileChange = ({ key }: Pick<StepRow, 'key'>): boolean => key.startsWith(KEY)

/** What the calls of a run changed, in the order in which they did, each with the number of the newest event then. */
export const fileChangesOf = (steps: readonly StepRow[]): CallChanges[] =>
  steps
    .filter(isFileChange)
    .map(({ key, seq, outcome }) => ({ ...(outcome as SeenChanges), seq, order: Number(key.slice(KEY.length)) }))
    .sort((a, b) => a.order - b.order)

/**
 * Keeps what the calls of a run change in files, so that it can be undone: states in the run's steps, contents as its
 * payloads.
 */
export class FileChanges {
  readonly #recorder: ChangeRecorder
  readonly #redact: Redactor
  readonly #kept = new Set<string>()
  /** By path: what was last recorded to be there, and how many had been recorded then. */
  readonly #latest = new Map<string, { state: RecordedState | undefined; order: number }>()
  #count = 0
  #bytes = 0

  /** @param steps of earlier lives of the run */
  constructor(recorder: ChangeRecorder, redact: Redactor, steps: readonly StepRow[]) {
    this.#recorder = recorder
    this.#redact = redact
    for (const { key } of steps.filter(isFileChange)) this.#count = Math.max(this.#count, Number(key.slice(KEY.length)))
    for (const { changes } of fileChangesOf(steps))
      for (const state of changes.flatMap(({ before, after }) => [before, after]))
        if (state !== undefined && state.lost === undefined) this.#take(state)
  }

  /**
   * A call begins.
   *
   * @returns records what it changes, and resolves once that is durable. Where another call has recorded the same meanwhile, as
   *   it does beside a program that runs, the change is that call's
   */
  begin({
    agentId,
    callId,
  }: Pick<SeenChanges, 'agentId' | 'callId'>): (changes: readonly FileChange[], unseen?: string) => Promise<void> {
    const since = this.#count
    return async (changes, unseen) => {
      const order = ++this.#count
      const recorded: RecordedChange[] = []
      const contents: Uint8Array[] = []
      const note = (state: PathContent | undefined): RecordedState | undefined => {
        const noted = this.#note(state)
        if (noted?.lost === undefined && state?.content !== undefined) contents.push(state.content)
        return noted
      }
      for (const { path, ...change } of changes) {
        const other = this.#latest.get(path)
        const isOthers = other !== undefined && other.order > since
        if (isOthers && isSameState(other.state, change.after)) continue
        const before = isOthers ? other.state : note(change.before)
        const after = note(change.after)
        this.#latest.set(path, { state: after, order })
        recorded.push({ path, ...(before && { before }), ...(after && { after }) })
      }
      await Promise.all(contents.map((content) => this.#recorder.keep(content)))
      const outcome: SeenChanges = { agentId, callId, changes: recorded, ...(unseen !== undefined && { unseen }) }
      this.#recorder.note(`${KEY}${order}`, outcome)
      await this.#recorder.flush()
    }
  }

  /** A state as it is recorded; its content is lost where it holds a secret, or the run has kept too much. */
  #note(state: PathContent | undefined): RecordedState | undefined {
    if (state === undefined) return undefined
    const { content, ...recorded } = state
    if (content === undefined || recorded.lost !== undefined) return recorded
    const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength)
    const isSecret = (['utf8', 'utf16le'] as const).some((encoding) => {
      const text = bytes.toString(encoding)
      return this.#redact(text) !== text
    })
    const lost = isSecret ? 'secret' : this.#take(recorded) ? undefined : 'full'
    return lost === undefined ? recorded : { ...recorded, lost }
  }

  /** @returns whether it may still be kept */
  #take({ sha256, bytes = 0 }: PathState): boolean {
    if (sha256 === undefined || this.#kept.has(sha256)) return true
    if (this.#bytes + bytes > MOST_KEPT_BYTES) return false
    this.#kept.add(sha256)
    this.#bytes += bytes
    return true
  }
}

/** Whether the same is at a path. Of what was not read, nobody knows. */
export const isSameState = (one: PathState | undefined, other: PathState | undefined): boolean => {
  if (one === undefined || other === undefined) return one === other
  if (one.kind !== other.kind || one.mode !== other.mode) return false
  return one.kind === 'folder' || (one.sha256 !== undefined && one.sha256 === other.sha256)
}
