import type { ExecutionResult } from '@svc/sdk/remote'

type FileFact = NonNullable<ExecutionResult['facts']>['files'][number]

/** A file that a run wrote, changed, moved or deleted. */
export interface RunFile {
  path: string
  /** By which its content is asked for; undefined where there is none. */
  artifactId?: string | undefined
  mimeType: string
  bytes?: number | undefined
  change?: FileFact['change'] | undefined
  from?: string | undefined
  added?: number | undefined
  removed?: number | undefined
  seq?: number | undefined
}

/** The files of a run: what its facts say and what its artifacts hold, each file once. */
export function filesOf({ artifacts = [], facts }: Partial<ExecutionResult>): RunFile[] {
  const files = new Map<string, RunFile>()
  for (const { id, mimeType, bytes, uri } of artifacts) {
    const path = pathOf(uri)
    files.set(path, { path, artifactId: id, mimeType, bytes })
  }
  for (const fact of facts?.files ?? []) {
    const path = fact.path.replaceAll('\\', '/').replace(/^(?:\.\/)+/, '')
    files.set(path, { mimeType: 'text/plain', ...files.get(path), ...fact, path })
  }
  return [...files.values()]
}

function pathOf(uri: string): string {
  const path = uri.replace(/^workspace:/, '')
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}

/** Pictures that a browser draws and that run nothing. */
export const isPicture = (mimeType: string): boolean => /^image\/(?:png|jpeg|gif|webp)$/.test(mimeType)

export const isMarkdown = (path: string): boolean => /\.(?:md|markdown)$/i.test(path)

/** The language of a file by the ending of its name, as highlighting knows it. */
export const languageOf = (path: string): string => /\.([A-Za-z0-9]{1,12})$/.exec(path)?.[1]?.toLowerCase() ?? ''

export const nameOf = (path: string): string => path.split('/').at(-1) ?? path

/** The text of a file; undefined where it holds none. */
export async function textOf(blob: Blob): Promise<string | undefined> {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await blob.arrayBuffer())
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}
