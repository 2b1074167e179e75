import type { LoadedConfig, Mode, Run, RunCreate, Runtime, ValidationError } from '@svc/core'
import { toSummaryRequest } from '@svc/core/client'
import type { CommandContext } from '../frame/context.ts'
import { toSafe } from '../frame/io.ts'
import { reportError } from '../frame/report-error.ts'
import { toRequest } from '../input/run-request.ts'
import { type CommandSource, commandSources, expandCommand, readCall } from '../input/slash-commands.ts'
import { didYouMean, wrong } from '../line/wrong.ts'
import { withServers } from '../mcp/task-parts.ts'
import { createProgress } from '../progress/index.ts'
import { count } from '../render/one-line.ts'
import { renderRunResult, toCount } from '../render/run.ts'
import { everyItem } from '../session/every-item.ts'
import { followRun, startRun } from '../session/follow-run.ts'
import type { Started } from '../session/start-own.ts'
import { rewind, undoLast } from './rewind.ts'
import { createStreamed } from './streamed.ts'

const HELP: Readonly<Record<string, string>> = {
  '/plan': '<task>: show the plan of a task without running it',
  '/undo': 'put the files that the last turn changed back as they were',
  '/rewind': '<turn> files, conversation or both: back to where a turn had ended; 0 is the beginning',
  '/compact': '<focus>: sum the conversation up, and go on from that; what was said stays readable',
  '/cost': 'tokens and cost of this conversation so far',
  '/<server>:<prompt>': 'a prompt of an MCP server, with its arguments; svc mcp test <server> shows them',
  '@<server>:<uri>': 'in a task: a resource of an MCP server, which comes with it',
  '/help': 'this list',
  '/exit': 'leave; Ctrl-D does too',
}

/** One thread, turn by turn. */
export class Conversation {
  readonly #context: CommandContext
  readonly #runtime: Runtime
  readonly #isDurable: boolean
  readonly #loaded: LoadedConfig | undefined
  readonly #sources: readonly CommandSource[]
  #threadId: string

  constructor(
    context: CommandContext,
    { runtime, isDurable, loaded, threadId }: Pick<Started, 'runtime' | 'isDurable' | 'loaded'> & { threadId: string },
  ) {
    this.#context = context
    this.#runtime = runtime
    this.#isDurable = isDurable
    this.#loaded = loaded
    this.#sources = commandSources({ loaded })
    this.#threadId = threadId
  }

  /** What it goes on with: another one once it was taken back. */
  get threadId(): string {
    return this.#threadId
  }

  /**
   * Takes one turn: a task, or a command that begins with a slash.
   *
   * @returns the turn's exit code; undefined where the person wants to leave
   */
  async take(line: string): Promise<number | undefined> {
    const { flags, io } = this.#context
    const { name, args = '' } = readCall(line) ?? {}
    try {
      if (name === undefined) return await this.#run(line, 'execute')
      if (name === 'exit' || name === 'quit') return undefined
      if (name === 'plan') return await this.#run(args, 'plan')
      if (name === 'undo') {
        await undoLast(this.#context, this.#runtime, this.#threadId)
        return 0
      }
      if (name === 'rewind') {
        this.#threadId = await rewind(this.#context, this.#runtime, this.#threadId, args)
        return 0
      }
      if (name === 'cost') return await this.#sayCost()
      if (name === 'help') return await this.#help()
      if (name === 'compact') return await this.#start(toSummaryRequest(args))
      return await this.#run(line, 'execute', name)
    } catch (thrown) {
      return reportError(thrown, io, flags.output !== 'text', flags.verbose)
    }
  }

  /** Those of the conversation itself go before others of the same name. */
  async #commands(): Promise<[name: string, about: string][]> {
    const lists = await Promise.all(this.#sources.map((source) => source.list()))
    const others = lists.flat().map(({ name, argumentHint = '', description = '' }): [string, string] => {
      const about = [argumentHint, description].filter((text) => text !== '').join(': ')
      return [`/${name}`, toSafe(about).replace(/\s+/g, ' ')]
    })
    return [...Object.entries(HELP), ...others.filter(([name]) => !Object.hasOwn(HELP, name))]
  }

  async #help(): Promise<number> {
    const lines = (await this.#commands()).map(([name, about]) => `  ${name} ${about}`.trimEnd())
    this.#context.io.err(`${lines.join('\n')}\n`)
    return 0
  }

  /** @param called the command that the task begins with; with a `:` it may be somebody else's */
  async #run(task: string, mode: Mode, called?: string): Promise<number> {
    const { flags, io } = this.#context
    if (task.trim() === '') throw wrong(`/${mode} needs a task`)
    const asked = await toRequest(task, mode, flags, io)
    const expanded = await expandCommand(asked, this.#sources)
    if (expanded === undefined && called !== undefined && !called.includes(':'))
      throw unknown(`/${called}`, await this.#commands())
    return this.#start(await withServers(this.#context, this.#loaded, expanded ?? asked))
  }

  async #start(request: RunCreate): Promise<number> {
    const { flags, io } = this.#context
    const { id } = await startRun(this.#context, this.#runtime, { ...request, threadId: this.threadId })
    const progress = createStreamed(io, createProgress(flags, io), io.isOutTerminal && flags.output === 'text')
    const isText = flags.output === 'text'
    return followRun(this.#context, this.#runtime, id, progress, {
      isDurable: this.#isDurable,
      print: (result, ranMode) => {
        if (flags.output === 'stream-json') return io.outJson({ result })
        if (!isText) return io.outJson(result)
        const answer = renderRunResult(ranMode, result)
        if (!progress.hasSaid(answer)) this.#context.print(result, () => answer)
      },
    })
  }

  async #sayCost(): Promise<number> {
    const runs: Run[] = []
    const { threadId } = this
    for await (const run of everyItem((query) => this.#runtime.runs.list({ ...query, threadId }))) runs.push(run)
    const tokens = runs.reduce((sum, { usage }) => sum + usage.inputTokens + usage.outputTokens, 0)
    const costUsd = runs.some((run) => run.costUsd === null)
      ? null
      : runs.reduce((sum, run) => sum + (run.costUsd ?? 0), 0)
    const facts = { threadId, turns: runs.length, tokens, costUsd }
    const cost = costUsd === null ? 'cost unknown: a model has no price' : `$${costUsd.toFixed(4)}`
    if (this.#context.flags.output === 'text')
      this.#context.print(facts, () => `${count(runs.length, 'turn')}, ${toCount(tokens)} tokens, ${cost}`)
    else this.#context.io.outJson(facts)
    return 0
  }

  /** What the person said before, the newest first. */
  async said(): Promise<string[]> {
    const messages = await this.#runtime.threads.messages(this.threadId)
    return messages
      .filter(({ role, summarizes }) => role === 'user' && summarizes !== true)
      .map(({ content }) => content)
      .reverse()
  }
}

function unknown(command: string, commands: readonly [name: string, about: string][]): ValidationError {
  const known = commands.map(([name]) => name).filter((name) => /^\/[\w:-]+$/.test(name))
  return wrong(`there is no ${command}${didYouMean(command, known, `: there are ${known.join(', ')}`)}`)
}
