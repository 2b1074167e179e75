import { SvcError, ToolError } from '@svc/core'

const SENTENCES: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist: a part of this path is a file, not a folder',
  EISDIR: 'is a folder, not a file',
  EACCES: 'cannot be accessed: permission denied',
  EPERM: 'cannot be accessed: the system does not permit it',
  ELOOP: 'is a link that leads in circles',
  ENAMETOOLONG: 'is too long for a path',
  ENOSPC: 'cannot be written: the disk is full',
  EDQUOT: 'cannot be written: the disk quota is used up',
  EROFS: 'cannot be written: the file system is read-only',
  EMFILE: 'cannot be opened: too many files are open',
  ENXIO: 'is not a regular file',
}

/** The system's code of an error, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/** A file system's error as a sentence about the path that the model gave; other errors are handed back as they are. */
export function toFileError(error: unknown, path: string): unknown {
  const code = codeOf(error)
  if (SvcError.isInstance(error) || code === undefined || code === 'ABORT_ERR') return error
  return new ToolError('tool_failed', `${show(path)} ${SENTENCES[code] ?? `cannot be used (${code})`}`, {
    cause: error,
    details: { path, errno: code },
  })
}

/** A path in a message: quoted, control characters escaped, at most 200 characters. */
export function show(path: string): string {
  return JSON.stringify(path.length > 200 ? `${path.slice(0, 199)}…` : path)
}
