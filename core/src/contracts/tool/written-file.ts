/** What a call of a writing tool says that it writes. */
export interface WrittenFile {
  path: string
  /** Of the artifact. */
  uri: string
  content: string
  /** It is added to what was there. */
  isAppended: boolean
}

/** Names of the argument that says where a tool writes. */
const PATH_FIELDS = ['path', 'file', 'filename', 'filePath'] as const

/** What the artifact of a file is called. */
export const toUri = (path: string): string =>
  `workspace:${encodeURI(path.replaceAll('\\', '/').replace(/^(?:\.\/)+/, ''))}`

/** Reads the arguments of a writing tool; undefined where they name no path or no text. */
export function toWrittenFile(args: unknown): WrittenFile | undefined {
  if (typeof args !== 'object' || args === null) return undefined
  const fields = args as Record<string, unknown>
  const path = PATH_FIELDS.map((field) => fields[field]).find((value) => typeof value === 'string' && value !== '')
  if (typeof path !== 'string' || typeof fields.content !== 'string') return undefined
  return { path, uri: toUri(path), content: fields.content, isAppended: fields.mode === 'append' }
}
