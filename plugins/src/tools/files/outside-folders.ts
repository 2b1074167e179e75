import { isAbsolute, join, resolve } from 'node:path'
import type { ToolContext, Touch } from '@svc/core'
import { type FileScope, isInside } from './workspace.ts'

/** A folder outside of the workspace, with the policy asked about what lies there by its whole path. */
export interface OutsideScope extends FileScope {
  /** The path by which rules know something in the scope. */
  nameOf(path: string): string
}

/**
 * Where a path that a model gave is looked for: the workspace, or one of some folders outside of it that may be read, such as
 * those of skills. Nothing else outside is.
 *
 * @param folders absolute, with links resolved
 */
export function scopeOf(
  { workspace, check }: { workspace: string; check?: ToolContext['check'] | undefined },
  path: string,
  folders: readonly string[],
): OutsideScope {
  const folder = isAbsolute(path) ? folders.find((each) => isInside(each, resolve(path))) : undefined
  if (folder === undefined) return { workspace, ...(check && { check }), nameOf: (name) => name }
  const nameOf = (name: string): string => (name === '.' ? folder : join(folder, name))
  const checkWhole = (touch: Touch): void => check?.('path' in touch ? { path: nameOf(touch.path) } : touch)
  return { workspace: folder, ...(check && { check: checkWhole }), nameOf }
}
