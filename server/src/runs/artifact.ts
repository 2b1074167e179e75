import { type ExecutionResult, type Run, type RunEvent, toWrittenFile } from '@svc/core'

/** A file that a run wrote, as its log has it. */
export interface ArtifactFile {
  name: string
  mimeType: string
  bytes: Buffer
}

/**
 * The bytes of an artifact: what the calls of the run wrote to it, one after the other. They come from the log and not
 * from the workspace, where somebody may have changed the file since.
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
  for await (const event of events) {
    const call = `${event.agentId} ${event.callId}`
    if (event.type === 'tool.requested') asked.set(call, event.data.args)
    else if (event.type === 'tool.completed') {
      const written = toWrittenFile(event.data.args ?? asked.get(call))
      asked.delete(call)
      if (written?.uri !== artifact.uri) continue
      text = written.isAppended ? (text ?? '') + written.content : written.content
    }
  }
  if (text === undefined) return undefined
  return { name: artifact.name, mimeType: artifact.mimeType, bytes: Buffer.from(text) }
}
