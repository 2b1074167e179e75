/// <reference lib="esnext.disposable" preserve="true" />
import type {
  AgentInput,
  AgentProfile,
  Complexity,
  ExecutionResult,
  FileNames,
  FileQuery,
  Health,
  Inspection,
  MemoryQuery,
  MemoryRecord,
  MemoryResult,
  MemoryWrite,
  PlanResult,
  RiskLevel,
  RunCreate,
  RunEvent,
  RunResult,
  Runtime,
  RuntimeInfo,
  StartedRun,
  Task,
} from '@svc/core/client'
import {
  createError,
  describeAbort,
  isErrorCode,
  NotFoundError,
  type SvcError,
  toSvcError,
  UsageError,
} from '@svc/core/client'
import { answerApprovals, answerInputs } from './answer-questions.ts'
import { type ClientThreads, createClientThreads } from './client-threads.ts'
import { type ClientOptions, type ClientRunOptions, checkRunOptions } from './option-checks.ts'
import { createRunStream, type RunStream } from './stream/run-stream.ts'
import { type OutputReader, type TypedResult, toOutputReader } from './typed-output.ts'

type Handler = (event: RunEvent) => void

/** What a program does with svc, over a runtime in this process or one behind a server. */
export abstract class Client {
  readonly #options: ClientOptions
  #runtime: Runtime | undefined
  #connecting: Promise<void> | undefined
  #stop: (() => void)[] = []
  /** Requests for runs that are not answered yet. */
  readonly #starting = new Set<Promise<unknown>>()
  /** Runs whose result is not there yet. */
  readonly #unfinished = new Set<string>()

  constructor(options: ClientOptions) {
    this.#options = options
  }

  /** Makes the runtime that the client speaks to. */
  protected abstract start(): Promise<Runtime>

  /**
   * Wires the runtime: embedded, it reads the config; of a server nothing is asked yet. A second call does nothing.
   *
   * @throws ConfigError when config, provider or plugins cannot be used
   */
  async connect(): Promise<void> {
    this.#connecting ??= this.#open().catch((thrown: unknown) => {
      this.#connecting = undefined
      throw thrown
    })
    await this.#connecting
  }

  /**
   * Closes the runtime. Runs have two seconds to end; of one that has not ended then, `run()` rejects with `shutting_down`,
   * and a server goes on with it. A second call does nothing.
   */
  async disconnect(): Promise<void> {
    await this.#connecting?.catch(() => {})
    const runtime = this.#runtime
    this.#runtime = undefined
    this.#connecting = undefined
    for (const stop of this.#stop.splice(0)) stop()
    await runtime?.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.disconnect()
  }

  /**
   * Runs a task and waits for its result.
   *
   * A run that fails, or that a limit stops, resolves with its `status`; `throwOnFailure` makes it reject. With `outputSchema`,
   * `output` has the type that the schema stands for: an answer that does not fit is asked for once more, then the run is
   * incomplete.
   *
   * @throws SvcError `not_connected`; ValidationError, NotFoundError, ConfigError for a request that is refused
   */
  run<const Schema extends object>(
    task: string,
    options: ClientRunOptions & { outputSchema: Schema },
  ): Promise<TypedResult<Schema>>
  run(task: string, options?: ClientRunOptions): Promise<ExecutionResult>
  async run(task: string, options: ClientRunOptions = {}): Promise<ExecutionResult> {
    const { runs } = this.#connected()
    const output = outputOf(options)
    const started = await this.#start(runs, this.#requestOf(task, 'execute', options, output, false))
    return this.#executionOf(started, options, output)
  }

  /** Plans a task without running it. Pass `result.plan` to `run` to execute it. */
  async plan(task: string, options: Omit<ClientRunOptions, 'plan'> = {}): Promise<PlanResult> {
    const { runs } = this.#connected()
    const output = outputOf(options)
    const started = await this.#start(runs, this.#requestOf(task, 'plan', options, output, false))
    return (await this.#resultOf(started)) as PlanResult
  }

  /** Says how hard a task is and which topology suits it. No model is asked. */
  async analyze(task: string | Task, options: { riskLevel?: RiskLevel } = {}): Promise<Complexity> {
    const asked: Task = typeof task === 'string' ? { id: 'task', description: task } : task
    return this.#connected().analyze({ ...asked, ...options })
  }

  /** Runs a task and yields its events as they come, or its text, or both as a response; `.result` resolves with its result. */
  stream<const Schema extends object>(
    task: string,
    options: ClientRunOptions & { outputSchema: Schema },
  ): RunStream<TypedResult<Schema>>
  stream(task: string, options?: ClientRunOptions): RunStream
  stream(task: string, options: ClientRunOptions = {}): RunStream {
    const { runs } = this.#connected()
    const output = outputOf(options)
    return createRunStream({
      start: async () => this.#start(runs, this.#requestOf(task, 'execute', options, output, true)),
      events: (id, signal) => runs.events(id, { signal }),
      result: (started) => this.#executionOf(started, options, output),
      cancel: (id) => runs.cancel(id, 'the stream was left'),
    })
  }

  /** Calls a handler with each event of each run. A handler that throws never breaks a run. @returns how to stop listening */
  onEvent(handler: Handler): () => void {
    return this.#connected().onEvent(handler)
  }

  /**
   * Calls a handler with what begins, waits and ends from now on (`run.*`), in runs that others began too: of a server, or of all
   * processes that share the store.
   *
   * @param options.onOpen called each time when listening begins, also again after a cut: what was before is not told
   * @returns how to stop listening
   */
  onRunEvent(handler: Handler, options: { onOpen?: () => void } = {}): () => void {
    return this.#connected().onRunEvent(handler, options)
  }

  /** Saves an agent profile under its id; a second one of that id replaces it. */
  async createAgent(agent: AgentInput): Promise<AgentProfile> {
    return this.#connected().agents.put(agent)
  }

  async listAgents(): Promise<AgentProfile[]> {
    return this.#connected().agents.list()
  }

  async writeMemory(memory: MemoryWrite): Promise<MemoryRecord> {
    return this.#connected().memory.write(memory)
  }

  /** Finds what is remembered. A text is a query with the defaults. */
  async queryMemory(query: string | MemoryQuery): Promise<MemoryResult> {
    return this.#connected().memory.query(typeof query === 'string' ? { query } : query)
  }

  get runs(): Runtime['runs'] {
    return this.#connected().runs
  }

  get approvals(): Runtime['approvals'] {
    return this.#connected().approvals
  }

  get agents(): Runtime['agents'] {
    return this.#connected().agents
  }

  get memory(): Runtime['memory'] {
    return this.#connected().memory
  }

  /** Conversations: `const thread = await client.threads.create()`, then `thread.run('…')`. */
  get threads(): ClientThreads {
    return createClientThreads(this, this.#connected().threads)
  }

  /**
   * Finds files of the workspace by a part of their path, for `files` of a run.
   *
   * @throws NotFoundError `route_not_found` where there is no workspace
   */
  async files(query?: FileQuery): Promise<FileNames> {
    const runtime = this.#connected()
    if (runtime.files === undefined) throw new NotFoundError('route_not_found', 'files: this runtime has no workspace')
    return runtime.files(query)
  }

  async inspect(): Promise<Inspection> {
    return this.#connected().inspect()
  }

  async describe(): Promise<RuntimeInfo> {
    return this.#connected().describe()
  }

  async health(): Promise<Health> {
    return this.#connected().health()
  }

  #connected(): Runtime {
    if (this.#runtime !== undefined) return this.#runtime
    throw new UsageError(
      'not_connected',
      'the client is not connected: await client.connect() first, or use createClient()',
    )
  }

  async #open(): Promise<void> {
    const { signal, onApproval, onInput } = this.#options
    signal?.throwIfAborted()
    const runtime = await this.start()
    this.#runtime = runtime
    if (onApproval !== undefined || onInput !== undefined)
      this.#stop.push(answerApprovals(runtime, onApproval), answerInputs(runtime, onInput))
    if (signal === undefined) return
    const leave = (): void => {
      const cancel = (id: string): Promise<unknown> =>
        runtime.runs.cancel(id, describeAbort(signal, 'the client’s signal was aborted'))
      const left = Promise.allSettled(this.#starting)
        .then(() => Promise.allSettled([...this.#unfinished].map(cancel)))
        .then(() => this.disconnect())
      left.catch((thrown: unknown) => {
        globalThis.process?.emitWarning(`the client could not be closed: ${toSvcError(thrown).message}`, 'SvcWarning')
      })
    }
    signal.addEventListener('abort', leave, { once: true })
    this.#stop.push(() => signal.removeEventListener('abort', leave))
  }

  /** What the runtime is asked for. @param deltas false: the caller waits for the result and reads no pieces of answers */
  #requestOf(
    task: string,
    mode: NonNullable<RunCreate['mode']>,
    { signal, throwOnFailure: _, outputSchema: __, ...rest }: ClientRunOptions,
    output: OutputReader,
    deltas: boolean,
  ): Parameters<Runtime['runs']['start']> {
    const { onApproval, onInput } = this.#options
    const isThere = onApproval !== undefined || onInput !== undefined
    const asks = isThere && rest.approval === undefined ? { approval: 'wait' as const } : {}
    return [
      { ...rest, ...asks, ...output.request, task, mode },
      { deltas, ...(signal && { signal }), ...(output.check && { checkOutput: output.check }) },
    ]
  }

  /** Makes a run, which the client's signal finds from then on. */
  async #start(runs: Runtime['runs'], request: Parameters<Runtime['runs']['start']>): Promise<StartedRun> {
    const starting = runs.start(...request)
    this.#starting.add(starting)
    try {
      const started = await starting
      this.#unfinished.add(started.run.id)
      return started
    } finally {
      this.#starting.delete(starting)
    }
  }

  async #executionOf(started: StartedRun, options: ClientRunOptions, output: OutputReader): Promise<ExecutionResult> {
    const { throwOnFailure = this.#options.throwOnFailure ?? false, signal = this.#options.signal } = options
    const result = await output.read((await this.#resultOf(started)) as ExecutionResult)
    if (throwOnFailure && result.error !== undefined && result.status !== 'completed')
      throw errorOf(result.error, signal)
    return result
  }

  /** The result of a run once it has ended, through any waiting for people. */
  async #resultOf({ run, done }: StartedRun): Promise<RunResult> {
    try {
      const { mode, status, error, result } = await done
      if (mode === 'analyze' && status !== 'completed' && error !== undefined) throw errorOf(error)
      return result
    } finally {
      this.#unfinished.delete(run.id)
    }
  }
}

/** @throws ValidationError `validation_failed` for options that cannot be, before a run is asked for */
function outputOf(options: ClientRunOptions): OutputReader {
  checkRunOptions(options)
  return toOutputReader(options.outputSchema)
}

/** @param signal that may have ended the run: its reason is the cause */
const errorOf = (
  { code, message, retryable }: { code: string; message: string; retryable: boolean },
  signal?: AbortSignal,
): SvcError => {
  const cause = code === 'cancelled' && signal?.aborted === true ? signal.reason : undefined
  return createError(isErrorCode(code) ? code : 'run_failed', message, { retryable, cause })
}
