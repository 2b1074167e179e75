import type { Artifact, ToolAnswer, ToolCall } from '../../../../contracts/index.ts'
import { toUri, toWrittenFile } from '../../../../contracts/tool/written-file.ts'

const MIME_TYPES: Readonly<Record<string, string>> = {
  css: 'text/css',
  csv: 'text/csv',
  gif: 'image/gif',
  html: 'text/html',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  js: 'text/javascript',
  json: 'application/json',
  jsonl: 'application/jsonl',
  md: 'text/markdown',
  pdf: 'application/pdf',
  png: 'image/png',
  svg: 'image/svg+xml',
  ts: 'text/typescript',
  txt: 'text/plain',
  xml: 'application/xml',
  yaml: 'application/yaml',
  yml: 'application/yaml',
}

/** What the steps of an execution wrote, by path: the last write to a path counts. */
export class ArtifactLog {
  readonly #artifacts = new Map<string, Artifact & { stepId: string }>()

  /** @param earlier what an earlier execution wrote */
  constructor(earlier: readonly Artifact[] = []) {
    for (const artifact of earlier) this.#artifacts.set(artifact.uri, { ...artifact, stepId: '' })
  }

  /** Notes a call of a writing tool that went well. Calls that name no path are not noted. */
  note(stepId: string, { args, files = [] }: Pick<ToolCall, 'args'> & Pick<ToolAnswer, 'files'>): void {
    for (const { path, bytes } of files) this.#put(stepId, path, toUri(path), bytes)
    const file = toWrittenFile(args)
    if (file === undefined) return
    const { path, uri, content, isAppended } = file
    const written = new TextEncoder().encode(content).length
    this.#put(stepId, path, uri, isAppended ? (this.#artifacts.get(uri)?.bytes ?? 0) + written : written)
  }

  #put(stepId: string, path: string, uri: string, bytes: number): void {
    const known = this.#artifacts.get(uri)
    this.#artifacts.set(uri, {
      id: known?.id ?? `artifact-${this.#artifacts.size + 1}`,
      name: path.split(/[/\\]/).at(-1) ?? path,
      mimeType: MIME_TYPES[/\.([A-Za-z0-9]{1,8})$/.exec(path)?.[1]?.toLowerCase() ?? ''] ?? 'application/octet-stream',
      bytes,
      uri,
      stepId,
    })
  }

  all(): Artifact[] {
    return [...this.#artifacts.values()].map(({ stepId: _, ...artifact }) => artifact)
  }

  ofStep(id: string): Artifact[] {
    return [...this.#artifacts.values()].filter(({ stepId }) => stepId === id)
  }
}
