import { existsSync } from 'node:fs'
import { realpath, rmdir } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import {
  type ClosedPaths,
  type Confinement,
  DEFAULT_PROGRAM_MEMORY_MB,
  PolicyError,
  type ToolContext,
  ToolError,
} from '@svc/core'
import { show } from '../files/file-errors.ts'
import { findSecretFiles } from '../files/secret-files.ts'
import { isInside } from '../files/workspace.ts'
import { foldersOfGit } from '../git/git-names.ts'
import { GitPlaces, partsOf } from '../git/git-places.ts'
import { findGitPrograms } from '../git/git-programs.ts'
import type { Guarded } from '../programs/always-ask.ts'
import { type Ended, notStarted, runProgram, scrubbedEnv } from '../programs/run-program.ts'
import { findClosed } from './closed-paths.ts'
import { createControlGroup } from './control-group.ts'
import { findSandbox, type SandboxChoice, unavailable, unmade } from './find-sandbox.ts'
import { findSockets } from './find-sockets.ts'
import { findGuardedNames, stateOf, watchFiles } from './kept-files.ts'
import { setAside } from './set-aside.ts'
import { dropSetId } from './set-id.ts'
import { createFilter } from './system-calls.ts'
import { findProgram } from './toolchains.ts'
import { absentNames, createView, type Mount } from './view.ts'
import { tooMuchMemory, watchProgram } from './watch-program.ts'
import { hasRun, THREADS_EACH, wrap } from './wrap.ts'

/** How the programs of a runtime are run. */
export interface ProgramRunnerOptions {
  /** Default `auto`: the best that there is. */
  readonly sandbox?: SandboxChoice | undefined
  /** Which commands reach the network: all, or those that begin with one of these words. Default none. */
  readonly network?: boolean | readonly (readonly string[])[] | undefined
  /** Of all processes of a call together, in MiB. Default `DEFAULT_PROGRAM_MEMORY_MB`. */
  readonly memoryMb?: number | undefined
  readonly guarded: Guarded
}

export interface RunOptions {
  readonly timeoutMs: number
  readonly network: boolean
  /** Whether the program may change the workspace. */
  readonly writes: boolean
  readonly headBytes: number
  readonly tailBytes?: number
  readonly streamBytes?: number
  /** True: where there is no sandbox, the program runs without one. */
  readonly needsNone?: boolean
  /** Further folders that may be read. */
  readonly readable?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

const NOTHING_CLOSED: ClosedPaths = { globs: [], has: () => false }

/** Of all processes of a call together. */
const PROCESSES = 64
const FILE_BYTES = 2 ** 30
const MOST_ROUNDS = 10
/** What hooks start could write into the repository what git runs later, outside of the sandbox. */
const WITHOUT_HOOKS = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'core.hooksPath', GIT_CONFIG_VALUE_0: '/dev/null' }

/** Runs programs for tools: in the sandbox that there is, or without one where the config says so. */
export class ProgramRunner {
  readonly #settings: ProgramRunnerOptions
  readonly #places = new GitPlaces()

  constructor(settings: ProgramRunnerOptions) {
    this.#settings = settings
  }

  /** Whether the config lets a command reach the network; without a sandbox, each does. */
  reachesNetwork(command: readonly string[]): boolean {
    const { network = false, sandbox } = this.#settings
    if (sandbox === 'none' || typeof network === 'boolean') return sandbox === 'none' || network === true
    return network.some((words) => words.length > 0 && words.every((word, index) => command[index] === word))
  }

  /** Why a person has to be asked before a program runs: it would see what a rule closes. */
  async whyAsk(
    { workspace, closedPaths: closed = NOTHING_CLOSED }: Pick<ToolContext, 'workspace' | 'closedPaths'>,
    { needsNone = false, isConfined = true } = {},
  ): Promise<string | undefined> {
    const { sandbox = 'auto' } = this.#settings
    const isThere = isConfined && sandbox !== 'none' && (await findSandbox(sandbox)).kind !== undefined
    if (!isThere && closed.globs.length > 0) return 'it runs without a sandbox, so it could read what a rule closes'
    if (!isThere && needsNone && sandbox !== 'none') return 'there is no sandbox here, so it would run without'
    if (isThere && findClosed(await realpath(workspace), closed) === undefined)
      return 'there are too many files to hide from it what a rule closes'
    return undefined
  }

  async confinement(network: boolean): Promise<Confinement> {
    const { sandbox = 'auto' } = this.#settings
    if (sandbox === 'none') return { sandbox, network: true }
    return { sandbox: (await findSandbox(sandbox)).kind ?? 'none', network }
  }

  /**
   * Runs a program to its end.
   *
   * @throws ToolError `sandbox_unavailable`; `tool_timeout`; `tool_failed` where it cannot be started, or used more memory or
   *   processes than it may; the signal's reason
   */
  async run(argv: readonly string[], context: ToolContext, options: RunOptions): Promise<Ended> {
    const { sandbox: choice = 'auto', guarded, memoryMb = DEFAULT_PROGRAM_MEMORY_MB } = this.#settings
    const [program = ''] = argv
    const workspace = await realpath(context.workspace)
    const { signal, output } = context
    const common = { ...options, folder: workspace, signal, name: program, onOutput: output }
    const found = choice === 'none' ? undefined : await findSandbox(choice)
    if (found === undefined || (found.kind === undefined && options.needsNone === true)) {
      return this.#bounded(program, options.timeoutMs, (stop) =>
        runProgram(argv, { ...common, env: { ...scrubbedEnv(), ...options.env }, stop }),
      )
    }
    if (found.kind === undefined) throw unavailable(found)
    const { kind } = found
    const { network, readable = [] } = options
    const { folders: hidden, programs } = guarded
    const places = options.writes ? await this.#places.find(workspace) : new Map<string, string>()
    const writes = options.writes && !places.has(join(workspace, 'HEAD'))
    // git itself, where a person approved the call, writes what is git's; never another program
    const writesGit = writes && context.isApproved === true && program === 'git'
    const env = writesGit ? { ...WITHOUT_HOOKS, ...options.env } : { ...options.env }
    const ofGit = [...places.keys()].filter((place) => !(writesGit && dirname(place) === workspace)).flatMap(partsOf)
    const named = writes ? findGitPrograms(workspace, topsOf(workspace, places)) : { files: [], folders: [] }
    // what a person approved may change what is run, but not what svc, its tools and git run
    const isFree = !writes || context.isApproved === true
    const kept = [
      ...[...programs, ...named.files].filter(isFile),
      ...[...ofGit, ...named.folders].filter((path) => existsSync(path)),
      ...(isFree ? [] : findGuardedNames(workspace)),
    ]
    const closed = findClosed(workspace, context.closedPaths ?? NOTHING_CLOSED) ?? []
    const bare = createView({ workspace, program, network, writes, hidden, closed, kept, writesGit, readable, env })
    const sockets = findSockets(workspace, bare.mounts)
    const blank = [...sockets.paths, ...secretsIn(bare.mounts)]
    const view = { ...bare, mounts: [...bare.mounts, ...blank.map((path) => ({ kind: 'blank', path }) as const)] }
    if (findProgram(program, (view.env.PATH ?? '').split(delimiter), workspace) === undefined) {
      throw new ToolError(
        'tool_failed',
        `${show(program)} cannot be started: the sandbox has no such program. Install it outside of your home folder, or name a file of the workspace by its path, such as "./check.sh"`,
      )
    }
    const cpuSeconds = Math.ceil((2 * options.timeoutMs) / 1000)
    const limits = { memoryBytes: memoryMb * 2 ** 20, processes: PROCESSES, cpuSeconds, fileBytes: FILE_BYTES }
    const names = writes ? absentNames(workspace, hidden).map((name) => join(workspace, name)) : []
    const absent = [...names, ...named.folders.filter((path) => stateOf(path) === 'nothing')]
    const watch = watchFiles(workspace, absent, [...programs, ...named.files], !isFree)
    const hadOwn = existsSync(join(workspace, '.svc'))
    const group = createControlGroup(PROCESSES * THREADS_EACH, limits.memoryBytes)
    const filter =
      kind === 'bwrap'
        ? createFilter({ localSockets: !sockets.isComplete, uncountedMemory: group?.holdsMemory !== true })
        : undefined
    const wrapped = wrap(kind, view, argv, limits, filter !== undefined)
    const startedMs = Date.now()
    try {
      return await this.#bounded(program, options.timeoutMs, async (stop, end) => {
        const ended = await runProgram(group?.enter(wrapped) ?? wrapped, {
          ...common,
          env: view.env,
          stop,
          hasStatus: true,
          input: filter,
          onStart: (pid) => watchProgram(pid, limits, end, group?.ranOut),
        })
        if (group?.ranOut() === true) end(tooMuchMemory(limits))
        const isOwn = stop.aborted || ended.killedBy !== undefined || hasRun(kind, ended.status)
        if (!isOwn) throw unmade(kind, ended)
        const refusal = refusalOf(ended)
        if (refusal !== undefined) throw notStarted(program, systemError(refusal))
        return ended
      })
    } finally {
      await group?.remove()
      // made to be covered, where nobody has put anything into it
      if (writes && !hadOwn) await rmdir(join(workspace, '.svc')).catch(() => {})
      // each of these whatever the one before met
      try {
        if (writes) await setAside(workspace, watch.findChanged(), output)
      } finally {
        try {
          if (writes && !writesGit) await this.#setGitAside(workspace, places, output)
        } finally {
          if (writes && filter === undefined) await dropSetId(workspace, startedMs)
        }
      }
    }
  }

  /** Makes what became git's no git's; again, since a repository under another name is one by itself. */
  async #setGitAside(
    workspace: string,
    before: ReadonlyMap<string, string>,
    say: (line: string) => void,
  ): Promise<void> {
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const made = await this.#places.findNew(workspace, before)
      if (made.length === 0) return
      await setAside(
        workspace,
        made.reverse().map((path) => Buffer.from(path)),
        say,
      )
    }
    throw new ToolError(
      'tool_failed',
      `a program made a git repository in ${show(workspace)}, and svc cannot rename it`,
    )
  }

  /** Ends a program when its time is up or it took too much, and says so with the end of what it printed. */
  async #bounded(
    program: string,
    timeoutMs: number,
    start: (stop: AbortSignal, end: (why: string) => void) => Promise<Ended>,
  ): Promise<Ended> {
    const controller = new AbortController()
    let error: { code: 'tool_timeout' | 'tool_failed'; why: string } | undefined
    const end = (code: 'tool_timeout' | 'tool_failed', why: string): void => {
      error ??= { code, why }
      controller.abort()
    }
    const timer = setTimeout(() => end('tool_timeout', `did not end within ${timeoutMs / 1000} s`), timeoutMs)
    try {
      const ended = await start(controller.signal, (why) => end('tool_failed', why))
      if (error === undefined) return ended
      const { out, err } = ended
      const said = `${out.head}${out.tail}\n${err.head}${err.tail}`.trim().slice(-2_000)
      throw new ToolError(
        error.code,
        `${show(program)} ${error.why}, and was ended${said === '' ? '' : `. It printed:\n${said}`}`,
      )
    } finally {
      clearTimeout(timer)
    }
  }
}

/** Folders that git of a person works in: those of the workspace that have a repository, and those around it. */
const topsOf = (workspace: string, places: ReadonlyMap<string, string>): string[] => [
  ...new Set([...foldersOfGit(join(workspace, '-')), ...[...places.keys()].map((place) => dirname(place))]),
]

/**
 * The keys of servers that a program would see.
 *
 * @throws PolicyError `policy_denied` where one has another name, which may lie anywhere
 */
function secretsIn(mounts: readonly Mount[]): string[] {
  const secrets = findSecretFiles()
  const linked = secrets.find(({ names }) => names > 1)
  if (linked !== undefined)
    throw new PolicyError(
      'policy_denied',
      `no program runs while ${show(linked.real)}, which holds a key of a server, has a second name: remove that hard link`,
    )
  return secrets.flatMap(({ real }) => {
    // What covers a place was mounted after what shows it.
    const shown = mounts.filter(({ path }) => isInside(path, real)).at(-1)
    return shown?.kind === 'read' || shown?.kind === 'write' ? [real] : []
  })
}

const isFile = (path: string): boolean => stateOf(path) === 'a file'

const systemError = (code: string): Error => Object.assign(new Error(code), { code })

/** Why the sandbox's last program could not become the one that was asked for; undefined where it did. */
function refusalOf({ exitCode, err }: Ended): string | undefined {
  if ((exitCode !== 126 && exitCode !== 127) || !/^prlimit: [^\n]*\n?$/.test(err.head)) return undefined
  return exitCode === 127 ? 'ENOENT' : 'EACCES'
}
