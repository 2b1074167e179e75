import { existsSync, statSync } from 'node:fs'
import { posix } from 'node:path'
import { invalid } from './wrong.ts'

/**
 * A shell makes several paths of a pattern: the second would be taken for the task.
 *
 * @throws ValidationError `validation_failed` where what follows a path of `--file` is a path too
 */
export function refuseExpanded(path: string, next: string | undefined): void {
  if (next === undefined || !existsSync(next) || !(next.includes('/') || statSync(next).isFile())) return
  const pattern = posix.join(posix.dirname(path), `*${posix.extname(path)}`)
  throw invalid(
    'file',
    `takes one path, but ${next.slice(0, 80)} follows ${path.slice(0, 80)}, as where a shell has expanded a pattern: quote it, as in --file '${pattern}', or write --file before each path`,
  )
}
