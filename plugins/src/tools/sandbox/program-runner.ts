import { realpath } from 'node:fs/promises'
import { delimiter } from 'node:path'
import { type ClosedPaths, type Confinement, DEFAULT_PROGRAM_MEMORY_MB, type ToolContext, ToolError } from '@svc/core'
import { DEFAULT_SANDBOX_IMAGE } from '@svc/core/config'
import { show } from '../files/file-errors.ts'
import { FolderSnapshots } from '../files/undo/folder-snapshot.ts'
import type { Guarded } from '../programs/always-ask.ts'
import { type Ended, notStarted, runProgram, scrubbedEnv } from '../programs/run-program.ts'
import { createControlGroup } from './control-group.ts'
import {
  type FoundSandbox,
  findSandbox,
  isEngine,
  launch,
  type SandboxChoice,
  type SandboxKind,
  unavailable,
  unmade,
} from './find-sandbox.ts'
import { closePorts, ownPorts, PORTS_OPEN, portsOpen } from './own-ports.ts'
import { findProgram } from './toolchains.ts'
import { createView } from './view.ts'
import { tooMuchMemory, watchProgram } from './watch-program.ts'
import { findClosed } from './workspace/closed-paths.ts'
import { guardWorkspace, type WorkspaceGuard } from './workspace/guard.ts'
import { WorkspaceScan } from './workspace/scan.ts'
import { THREADS_EACH } from './wrap.ts'

/** How the programs of a runtime are run. */
export interface ProgramRunnerOptions {
  /** Default `auto`: the best that there is. */
  readonly sandbox?: SandboxChoice | undefined
  /** Image of containers. Default `DEFAULT_SANDBOX_IMAGE`. */
  readonly sandboxImage?: string | undefined
  /** Which commands reach the network: all, or those that begin with one of these words. Default none. */
  readonly network?: boolean | readonly (readonly string[])[] | undefined
  /** Of all processes of a call together, in MiB. Default `DEFAULT_PROGRAM_MEMORY_MB`. */
  readonly memoryMb?: number | undefined
  /** TCP ports that no program reaches, beside those at which svc listens. Default none. */
  readonly closedPorts?: readonly number[] | undefined
  readonly guarded: Guarded
  /** Folders outside of the workspace that every program may read. Default none. */
  readonly readable?: readonly string[] | undefined
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
/** What hooks start could write into the repository what git runs later, outside of the sandbox. */
const WITHOUT_HOOKS = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'core.hooksPath', GIT_CONFIG_VALUE_0: '/dev/null' }

/** Runs programs for tools: in the sandbox that there is, or without one where the config says so. */
export class ProgramRunner {
  readonly #settings: ProgramRunnerOptions
  readonly #scan = new WorkspaceScan()
  readonly #snapshots: FolderSnapshots

  constructor(settings: ProgramRunnerOptions) {
    this.#settings = settings
    this.#snapshots = new FolderSnapshots(settings.guarded)
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
    const isThere = isConfined && (await this.#find())?.kind !== undefined
    if (!isThere && closed.globs.length > 0) return 'it runs without a sandbox, so it could read what a rule closes'
    if (!isThere && needsNone && this.#settings.sandbox !== 'none')
      return 'there is no sandbox here, so it would run without'
    if (isThere && findClosed(await realpath(workspace), closed) === undefined)
      return 'there are too many files to hide from it what a rule closes'
    return undefined
  }

  async confinement(network: boolean): Promise<Confinement> {
    const found = await this.#find()
    return { sandbox: found?.kind ?? 'none', network: network || found === undefined }
  }

  /** Undefined where the config wants none. */
  async #find(): Promise<FoundSandbox | undefined> {
    const { sandbox = 'auto', sandboxImage } = this.#settings
    return sandbox === 'none' ? undefined : findSandbox(sandbox, sandboxImage)
  }

  /**
   * Runs a program to its end.
   *
   * @throws ToolError `sandbox_unavailable`; `tool_timeout`; `tool_failed` where it cannot be started, or used more memory or
   *   processes than it may; the signal's reason
   */
  async run(argv: readonly string[], context: ToolContext, options: RunOptions): Promise<Ended> {
    if (!options.writes) return this.#run(argv, context, options)
    const isConfined = (await this.#find())?.kind !== undefined
    return this.keeping(context, isConfined, () => this.#run(argv, context, options))
  }

  /** Has what a program changes in the workspace kept for undo. @param isConfined whether it runs in a sandbox */
  async keeping<T>(context: ToolContext, isConfined: boolean, work: () => Promise<T>): Promise<T> {
    const { keepForUndo, closedPaths = NOTHING_CLOSED } = context
    if (keepForUndo === undefined) return work()
    const isClosed = (path: string): boolean => closedPaths.globs.length > 0 && closedPaths.has(path)
    const look = await this.#snapshots.begin(await realpath(context.workspace), isClosed)
    try {
      return await work()
    } finally {
      const { changes, unseen } = await look(isConfined)
      await keepForUndo(changes, unseen)
    }
  }

  async #run(argv: readonly string[], context: ToolContext, options: RunOptions): Promise<Ended> {
    const workspace = await realpath(context.workspace)
    const found = await this.#find()
    if (found === undefined || (found.kind === undefined && options.needsNone === true)) {
      const env = { ...scrubbedEnv(), ...options.env }
      return this.#bounded(argv, options.timeoutMs, (stop) =>
        runProgram(argv, { ...common(argv, workspace, context, options), env, stop }),
      )
    }
    if (found.kind === undefined) throw unavailable(found)
    return this.#runIn(found.kind, workspace, argv, context, options)
  }

  async #runIn(
    kind: SandboxKind,
    workspace: string,
    argv: readonly string[],
    context: ToolContext,
    options: RunOptions,
  ): Promise<Ended> {
    const {
      guarded,
      closedPorts = [],
      memoryMb = DEFAULT_PROGRAM_MEMORY_MB,
      sandboxImage = DEFAULT_SANDBOX_IMAGE,
    } = this.#settings
    const [program = ''] = argv
    const { network, writes } = options
    const readable = [...(this.#settings.readable ?? []), ...(options.readable ?? [])]
    const isGit = program === 'git'
    const isApproved = context.isApproved === true
    const env = writes && isApproved && isGit ? { ...WITHOUT_HOOKS, ...options.env } : (options.env ?? {})
    const image = isEngine(kind) ? sandboxImage : undefined
    const view = createView({ workspace, program, network, image, readable, env })
    if (image === undefined && findProgram(program, (view.env.PATH ?? '').split(delimiter), workspace) === undefined) {
      throw new ToolError(
        'tool_failed',
        `${show(program)} cannot be started: the sandbox has no such program. Install it outside of your home folder, or name a file of the workspace by its path, such as "./check.sh"`,
      )
    }
    const cpuSeconds = Math.ceil((2 * options.timeoutMs) / 1000)
    const limits = { memoryBytes: memoryMb * 2 ** 20, processes: PROCESSES, cpuSeconds, fileBytes: FILE_BYTES }
    const ports = network ? [...new Set([...ownPorts(), ...closedPorts])] : []
    const started = launch(kind, argv, limits, view, closePorts(ports))
    if (ports.length > 0 && !started.hasFilter) throw portsOpen(ports, 'there is no filter of system calls')
    const group = createControlGroup(PROCESSES * THREADS_EACH, limits.memoryBytes)
    let guard: WorkspaceGuard | undefined
    // the sandbox's own program starts and enters its group meanwhile
    const setUp = async (): Promise<Buffer[]> => {
      const refusesSetId = started.hasFilter
      const { closedPaths } = context
      const whole = { workspace, outside: view.mounts, writes, isApproved, isGit, refusesSetId, guarded, closedPaths }
      guard = await guardWorkspace(this.#scan, whole)
      const bounds = {
        localSockets: !guard.hidesSockets,
        uncountedMemory: group?.holdsMemory !== true,
        otherStreams: ports.length > 0,
      }
      return started.setUp(guard.mounts, bounds)
    }
    try {
      return await this.#bounded(argv, options.timeoutMs, async (stop, end) => {
        const ended = await runProgram(group?.enter(started.argv) ?? started.argv, {
          ...common(argv, workspace, context, options),
          env: started.env,
          stop,
          sandbox: { files: started.files, setUp },
          ...(image === undefined && { onStart: (pid) => watchProgram(pid, limits, end, group?.ranOut) }),
        })
        if (group?.ranOut() === true || started.ranOut?.(ended.status) === true) end(tooMuchMemory(limits))
        const refusal = refusalOf(ended, started.refusal)
        const isOwn = stop.aborted || ended.killedBy !== undefined || started.hasRun(ended.status)
        if (!isOwn && refusal === undefined) throw unmade(kind, ended)
        const why =
          ports.length > 0 && ended.exitCode === 126 && new RegExp(`^${PORTS_OPEN}: (.*)`).exec(ended.err.head)?.[1]
        if (why) throw portsOpen(ports, why)
        if (refusal !== undefined) throw notStarted(program, systemError(refusal))
        return ended
      })
    } finally {
      try {
        await started.end?.()
      } finally {
        await group?.remove()
        await guard?.restore(context.output)
      }
    }
  }

  /** Ends a program when its time is up or it took too much, and says so with the end of what it printed. */
  async #bounded(
    [program = '']: readonly string[],
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

const common = (argv: readonly string[], folder: string, { signal, output }: ToolContext, options: RunOptions) => ({
  ...options,
  folder,
  signal,
  name: argv[0] ?? '',
  onOutput: output,
})

const systemError = (code: string): Error => Object.assign(new Error(code), { code })

/** Why what made the sandbox could not start the program in it; undefined where it did. */
function refusalOf({ exitCode, err }: Ended, said: RegExp): string | undefined {
  if ((exitCode !== 126 && exitCode !== 127) || !said.test(err.head)) return undefined
  return exitCode === 127 ? 'ENOENT' : 'EACCES'
}
