import { execFileSync } from 'node:child_process'
import { lstatSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { pathOutside } from '@svc/core/support'
import { QUIET_SETTINGS, toGitEnvironment } from '../../../tools/git/git-environment.ts'

const TIMEOUT_MS = 10_000

/**
 * What git keeps of a folder, asked of git itself, which alone knows every format of its index. It runs nothing that the
 * repository names.
 *
 * @param project where the search for a repository begins, upwards
 * @returns names of files; none where there is no repository, or no git that can read it
 */
export function findTracked(project: string, folder: string): string[] {
  const repository = findRepository(resolve(project))
  if (repository === undefined) return []
  try {
    const output = execFileSync('git', ['ls-files', '-z', '--cached', '--', `:(literal)${folder}`], {
      cwd: '/',
      env: { PATH: pathOutside(repository.top, process.env.PATH), ...toGitEnvironment(repository, QUIET_SETTINGS) },
      stdio: ['ignore', 'pipe', 'ignore'],
      encoding: 'utf8',
      timeout: TIMEOUT_MS,
    })
    return output.split('\0').filter(Boolean)
  } catch {
    return []
  }
}

function findRepository(top: string): { top: string; gitDir: string } | undefined {
  const git = join(top, '.git')
  const stats = lstatSync(git, { throwIfNoEntry: false })
  if (stats?.isFile()) {
    const pointer = readFileSync(git, 'utf8').replace(/^gitdir: /, '')
    return { top, gitDir: resolve(top, pointer.trim()) }
  }
  if (stats !== undefined) return { top, gitDir: git }
  return dirname(top) === top ? undefined : findRepository(dirname(top))
}
