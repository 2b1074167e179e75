import { lstatSync, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

/**
 * The folder where V8 keeps what it compiled of svc until the next start: `v8` in that of compiled configs, which no tool of
 * a run writes to. It is found here once more, since what is loaded before is not kept.
 *
 * @returns undefined where somebody else could have written to it, since what stands there runs as this person; and on Windows
 */
export function openCodeCache(env: NodeJS.ProcessEnv): string | undefined {
  const user = process.getuid?.()
  if (user === undefined) return undefined
  const { XDG_CACHE_HOME: stated = '' } = env
  const cache = join(isAbsolute(stated) ? stated : join(homedir(), '.cache'), 'svc')
  const folder = join(cache, 'code', 'v8')
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const isOwn = [cache, join(cache, 'code'), folder].every((path) => {
      const stats = lstatSync(path)
      return stats.isDirectory() && stats.uid === user && (stats.mode & 0o022) === 0
    })
    return isOwn ? folder : undefined
  } catch {
    return undefined // a disk that cannot be written to
  }
}
