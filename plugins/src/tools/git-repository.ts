import { existsSync } from 'node:fs'
import { lstat, readFile, realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { PolicyError, type ToolContext, ToolError } from '@svc/core'
import { QUIET_SETTINGS, toGitEnvironment } from '../git-environment.ts'
import { show } from './file-errors.ts'
import { toPrinted } from './program-output.ts'
import type { ProgramRunner } from './sandbox/program-runner.ts'
import { isInside } from './workspace.ts'

/** A repository that the workspace is in. */
interface Repository {
  /** Folder of the files. */
  readonly top: string
  /** Folder of git's own files; of a linked worktree its part of the repository. */
  readonly gitDir: string
  /** What both are part of. */
  readonly commonDir: string
}

const TIMEOUT_MS = 20_000
const OUTPUT_BYTES = 60_000
const LONGEST_POINTER = 4_096

/** Drivers that a repository may name programs in. */
const DRIVER = /^(filter\..*|diff\..*)\.(clean|smudge|process|required|command|textconv)$/is

/**
 * Runs git to look at the workspace, and nothing that the repository names: no hook, monitor, filter, diff or text
 * conversion, pager, signature program, submodule or fetch. Where there is a sandbox it runs there, without network, and can
 * change nothing.
 *
 * @throws ToolError `tool_failed` where there is no repository, or git fails; PolicyError `policy_denied` where a repository
 *   leads elsewhere
 */
export async function runGit(runner: ProgramRunner, args: readonly string[], context: ToolContext): Promise<string> {
  const workspace = await realpath(context.workspace)
  const repository = await findRepository(workspace)
  const run = async (words: readonly string[], settings: readonly (readonly [string, string])[], headBytes: number) => {
    const ended = await runner.run(['git', ...words], context, {
      timeoutMs: TIMEOUT_MS,
      network: false,
      writes: false,
      needsNone: true,
      headBytes,
      streamBytes: 0,
      readable: [repository.top, repository.commonDir, repository.gitDir],
      env: toGitEnvironment(repository, settings),
    })
    return toPrinted('git', ended)
  }
  const names = (await run(['config', '--null', '--name-only', '--list'], QUIET_SETTINGS, 2_000_000)).split('\0')
  const drivers = [...new Set(names)].filter((name) => DRIVER.test(name))
  const off = drivers.map((name) => [name, /\.required$/i.test(name) ? 'false' : ''] as const)
  return run(['--no-pager', ...args], [...QUIET_SETTINGS, ...off], OUTPUT_BYTES)
}

/** The nearest folder with `.git`, from the workspace upwards. */
async function findRepository(workspace: string): Promise<Repository> {
  for (let top = workspace; ; top = dirname(top)) {
    const git = join(top, '.git')
    const found = await lstat(git).catch(() => undefined)
    if (found !== undefined) {
      if (top !== workspace && isInside(top, await realpath(homedir()))) {
        throw elsewhere(git, 'is the repository of your home folder')
      }
      if (found.isDirectory()) {
        if (existsSync(join(git, 'commondir'))) throw elsewhere(git, 'leads to another repository')
        return { top, gitDir: git, commonDir: git }
      }
      if (found.isFile()) return findLinked(top, git)
      throw elsewhere(git, 'is a link')
    }
    if (top === dirname(top)) throw new ToolError('tool_failed', 'the workspace is in no git repository')
  }
}

/** A linked worktree names its repository, which has to name it too: else it could be anybody's. */
async function findLinked(top: string, git: string): Promise<Repository> {
  const pointer = await readShort(git)
  const gitDir = resolve(top, pointer.replace(/^gitdir:\s*/, ''))
  const back = await readShort(join(gitDir, 'gitdir')).catch(() => '')
  if (!isAbsolute(back) || (await realpath(back).catch(() => '')) !== git)
    throw elsewhere(git, 'leads to another repository')
  return { top, gitDir, commonDir: await realpath(resolve(gitDir, await readShort(join(gitDir, 'commondir')))) }
}

async function readShort(path: string): Promise<string> {
  return (await readFile(path, 'utf8')).slice(0, LONGEST_POINTER).trim()
}

const elsewhere = (git: string, why: string): PolicyError =>
  new PolicyError('policy_denied', `${show(git)} ${why}, which the tools for git do not follow`)
