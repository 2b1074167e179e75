import { type ExecutionResult, type Run, type RunEvent, toUri, toWrittenFile } from '@svc/core'
import { type Edit, replaceText } from '@svc/plugins'

/** A file that a run wrote, as its log has it. */
export interface ArtifactFile {
  name: string
  mimeType: string
  bytes: Buffer
}

/**
 * The bytes of an artifact: what the calls of the run wrote to it and changed in it, one after the other. They come from
 * the log and not from the workspace, where somebody may have changed the file since. Of a file that was there before, and
 * was never written as a whole, the log holds the changes alone.
 *
 * @param events of the run, from the first on
 * @returns undefined where the run has no such artifact, or its calls do not hold it
 */
export async function artifactOf(
  { result }: Run,
  artifactId: string,
  events: AsyncIterable<RunEvent>,
): Promise<ArtifactFile | undefined> {
  const { artifacts = [] } = (result ?? {}) as Partial<ExecutionResult>
  const artifact = artifacts.find(({ id }) => id === artifactId)
  if (artifact === undefined) return undefined
  /** Arguments of calls that have not ended, by agent and call. */
  const asked = new Map<string, unknown>()
  let text: string | undefined
  let isWhole = true
  for await (const event of events) {
    const call = `${event.agentId} ${event.callId}`
    if (event.type === 'tool.requested') asked.set(call, event.data.args)
    else if (event.type === 'tool.completed') {
      const args = event.data.args ?? asked.get(call)
      asked.delete(call)
      const written = toWrittenFile(args)
      const edits = written === undefined ? toEdits(args) : undefined
      if ((written ?? edits)?.uri !== artifact.uri) continue
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
  if (text === undefined || !isWhole) return undefined
  return { name: artifact.name, mimeType: artifact.mimeType, bytes: Buffer.from(text) }
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
