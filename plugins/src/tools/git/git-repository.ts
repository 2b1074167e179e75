import { existsSync } from 'node:fs'
import { lstat, realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { PolicyError, type ToolContext, ToolError } from '@svc/core'
import { readRegularFile } from '@svc/core/config'
import { show } from '../files/file-errors.ts'
import { isInside, isOpen, type WorkspacePath } from '../files/workspace.ts'
import { toPrinted } from '../programs/program-output.ts'
import type { ProgramRunner } from '../sandbox/program-runner.ts'
import { QUIET_SETTINGS, toGitEnvironment } from './git-environment.ts'
import { settingsOf } from './git-programs.ts'

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
const MOST_NAME_BYTES = 2_000_000
const MOST_CLOSED = 1_000
const LEADS = 'leads to another repository'

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
export async function runGit(
  runner: ProgramRunner,
  args: readonly string[],
  context: ToolContext,
  outputBytes = OUTPUT_BYTES,
): Promise<string> {
  const repository = await findRepository(await realpath(context.workspace))
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
  const names = (await run(['config', '--null', '--name-only', '--list'], QUIET_SETTINGS, MOST_NAME_BYTES)).split('\0')
  const drivers = [...new Set(names)].filter((name) => DRIVER.test(name))
  const off = drivers.map((name) => [name, /\.required$/i.test(name) ? 'false' : ''] as const)
  return run(['--no-pager', ...args], [...QUIET_SETTINGS, ...off], outputBytes)
}

/**
 * The files of a question to git that the policy does not let the call see, as paths from the top of the repository.
 *
 * @param args a command of git that prints names with `-z`, with or without the two signs of `status` before each
 * @throws PolicyError `policy_denied` where there are too many names to tell
 */
export async function findClosedNames(
  runner: ProgramRunner,
  args: readonly string[],
  context: ToolContext,
): Promise<string[]> {
  if (context.closedPaths === undefined || context.closedPaths.globs.length === 0) return []
  const workspace = await realpath(context.workspace)
  const { top } = await findRepository(workspace)
  const printed = await runGit(runner, args, context, MOST_NAME_BYTES)
  const names = printed.split('\0').flatMap((name) => (name === '' || name.startsWith('## ') ? [] : [name]))
  const closed = names
    .map((name) => (args[0] === 'status' ? name.slice(3) : name))
    .filter((name) => !isOpen(toPlace(workspace, join(top, name), context)))
  if (printed.length >= MOST_NAME_BYTES || closed.length > MOST_CLOSED) {
    throw new PolicyError(
      'policy_denied',
      'too many files have changed to leave out those that rules close: name a path',
    )
  }
  return closed
}

/** A file that may be no more, or be in a commit only: its name is what rules look at. */
function toPlace(workspace: string, real: string, { check }: ToolContext): WorkspacePath {
  const name = relative(workspace, real).split(sep).join('/')
  return { root: workspace, real, relative: name, exists: false, ...(check && { check }) }
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
        if (existsSync(join(git, 'commondir'))) throw elsewhere(git, LEADS)
        return { top, gitDir: git, commonDir: git }
      }
      if (found.isFile()) return findLinked(top, git)
      throw elsewhere(git, 'is a link')
    }
    if (top === dirname(top)) throw new ToolError('tool_failed', 'the workspace is in no git repository')
  }
}

/** A linked worktree or a submodule names its repository, which has to name it too: else it could be anybody's. */
async function findLinked(top: string, git: string): Promise<Repository> {
  const pointer = await readShort(git)
  const gitDir = resolve(top, pointer.replace(/^gitdir:\s*/, ''))
  if (existsSync(join(gitDir, 'gitdir'))) {
    const back = await readShort(join(gitDir, 'gitdir')).catch(() => '')
    if (!isAbsolute(back) || (await realpath(back).catch(() => '')) !== git) throw elsewhere(git, LEADS)
    return { top, gitDir, commonDir: await realpath(resolve(gitDir, await readShort(join(gitDir, 'commondir')))) }
  }
  const worktree = settingsOf(join(gitDir, 'config')).findLast(
    ({ section, key }) => section.toLowerCase() === 'core' && key.toLowerCase() === 'worktree',
  )
  const isBack = worktree !== undefined && (await realpath(resolve(gitDir, worktree.value)).catch(() => '')) === top
  if (!isBack || existsSync(join(gitDir, 'commondir'))) throw elsewhere(git, LEADS)
  return { top, gitDir, commonDir: gitDir }
}

async function readShort(path: string): Promise<string> {
  const read = readRegularFile(path, LONGEST_POINTER)
  if ('bytes' in read) return read.bytes.toString('utf8').trim()
  throw elsewhere(path, read.problem)
}

const elsewhere = (git: string, why: string): PolicyError =>
  new PolicyError('policy_denied', `${show(git)} ${why}, which the tools for git do not follow`)
