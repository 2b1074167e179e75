import { lstatSync, mkdirSync } from 'node:fs'
import * as nodeModule from 'node:module'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

/** Keeps what V8 compiles of svc until the next start, on Node 22 and newer: that takes a sixth less then. */
export function keepCompiledCode(env: NodeJS.ProcessEnv): void {
  const { enableCompileCache } = nodeModule as { enableCompileCache?: (folder: string) => void }
  const folder = enableCompileCache && openCodeCache(env)
  if (folder !== undefined) enableCompileCache?.(folder)
}

/**
 * The folder for it: `v8` in that of compiled configs, which no tool of a run writes to. What finds that one is not loaded yet.
 *
 * @returns undefined where somebody else could have written to it, since what stands there runs as this person; and on Windows
 */
export function openCodeCache({ XDG_CACHE_HOME: stated = '' }: NodeJS.ProcessEnv): string | undefined {
  const user = process.getuid?.()
  const cache = join(isAbsolute(stated) ? stated : join(homedir(), '.cache'), 'svc')
  const folders = [cache, join(cache, 'code'), join(cache, 'code', 'v8')] as const
  try {
    mkdirSync(folders[2], { recursive: true, mode: 0o700 })
    const stats = folders.map((folder) => lstatSync(folder))
    const areOwn = stats.every((one) => one.isDirectory() && one.uid === user && (one.mode & 0o022) === 0)
    return areOwn ? folders[2] : undefined
  } catch {
    return undefined // a disk that cannot be written to
  }
}
