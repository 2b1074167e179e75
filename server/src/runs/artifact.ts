import {
  type CallChanges,
  type ExecutionResult,
  type Run,
  type RunEvent,
  type Runtime,
  toUri,
  toWrittenFile,
} from '@svc/core'
import { type Edit, replaceText } from '@svc/plugins'

/** A file that a run wrote. */
export interface ArtifactFile {
  name: string
  mimeType: string
  bytes: Buffer
}

/** The call of a tool that wrote to a file, with the number of the event that ended it. */
type Write = Pick<CallChanges, 'agentId' | 'callId' | 'seq'>

export interface ArtifactQuery {
  /** As the run left it, or as it was when the run changed it first. */
  version: 'before' | 'after'
  /** Of the run, from the first on. */
  events: AsyncIterable<RunEvent>
}

/**
 * The bytes of an artifact. They come from what the run kept for undo, or else from its log: what its calls wrote to the file and
 * changed in it, one after the other. They do not come from the workspace, where somebody may have changed the file since.
 *
 * @returns the file, or why there is none, in words; undefined where the run has no such artifact
 */
export async function artifactOf(
  runs: Runtime['runs'],
  { id, result }: Run,
  artifactId: string,
  { version, events }: ArtifactQuery,
): Promise<ArtifactFile | string | undefined> {
  const { artifacts = [] } = (result ?? {}) as Partial<ExecutionResult>
  const artifact = artifacts.find((each) => each.id === artifactId)
  if (artifact === undefined) return undefined
  const { name, mimeType, uri } = artifact
  const { text, writes } = await readLog(events, uri)
  const changes = (await runs.fileChanges?.(id, { all: true })) ?? []
  const path = pathOf(changes, writes)
  const ofFile = changes.flatMap(({ changes: made, ...call }) =>
    made.filter((change) => change.path === path).map((change) => ({ ...call, ...change })),
  )
  const last = writes.at(-1)
  const newest = ofFile.at(-1)
  // A tool that keeps nothing may have written to it after those that do.
  const isNewest =
    newest !== undefined &&
    (last === undefined || newest.seq > last.seq || ofFile.some((each) => isSameCall(each, last)))
  const state = version === 'before' ? ofFile[0]?.before : isNewest ? newest.after : undefined
  if (state?.sha256 !== undefined && state.kind === 'file') {
    const bytes = await runs.fileContent?.(id, state.sha256, { all: true })
    if (bytes !== undefined) return { name, mimeType, bytes: Buffer.from(bytes) }
  }
  if (version === 'before') {
    if (ofFile[0] !== undefined && state === undefined) return `there was no file ${uri} before run ${id}`
    return `run ${id} did not keep what ${uri} held before it`
  }
  if (text !== undefined) return { name, mimeType, bytes: Buffer.from(text) }
  if (isNewest && newest.after === undefined) return `run ${id} removed ${uri}`
  return `run ${id} did not keep the whole of ${uri}, which it changed: read the file itself`
}

/** The path by which the changes of these calls name their file: links of its folders are resolved there. */
const pathOf = (changes: readonly CallChanges[], writes: readonly Write[]): string | undefined =>
  changes.findLast((each) => each.changes.length === 1 && writes.some((write) => isSameCall(each, write)))?.changes[0]
    ?.path

const isSameCall = (one: Pick<Write, 'agentId' | 'callId'>, other: Pick<Write, 'agentId' | 'callId'>): boolean =>
  one.agentId === other.agentId && one.callId === other.callId

/** What the log says of a file: its text, where the log has the whole of it, and the calls that wrote to it. */
async function readLog(
  events: AsyncIterable<RunEvent>,
  uri: string,
): Promise<{ text: string | undefined; writes: Write[] }> {
  /** Arguments of calls that have not ended, by agent and call. */
  const asked = new Map<string, unknown>()
  const writes: Write[] = []
  let text: string | undefined
  let isWhole = true
  for await (const event of events) {
    const { agentId = '', callId = '', seq = 0 } = event
    const call = `${agentId} ${callId}`
    if (event.type === 'tool.requested') asked.set(call, event.data.args)
    else if (event.type === 'tool.completed') {
      const args = event.data.args ?? asked.get(call)
      asked.delete(call)
      const written = toWrittenFile(args)
      const edits = written === undefined ? toEdits(args) : undefined
      if ((written ?? edits)?.uri !== uri) continue
      writes.push({ agentId, callId, seq })
      if (edits !== undefined) {
        isWhole &&= text !== undefined
        for (const edit of edits.edits) text = replaced(text ?? '', edit)
      } else if (written?.isAppended) text = (text ?? '') + written.content
      else {
        text = written?.content
        isWhole = true
      }
    }
  }
  return { text: isWhole ? text : undefined, writes }
}

/** Reads the arguments of `edit_file`. */
function toEdits(args: unknown): { uri: string; edits: Edit[] } | undefined {
  const { path, edits } = (args ?? {}) as { path?: unknown; edits?: unknown }
  return typeof path === 'string' && Array.isArray(edits) ? { uri: toUri(path), edits } : undefined
}

function replaced(text: string, edit: Edit): string {
  const made = replaceText(text, edit)
  return 'text' in made ? made.text : text
}
