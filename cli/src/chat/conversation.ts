import type { LoadedConfig, Mode, RunCreate, Runtime, ToolCallView } from '@svc/core'
import { toSummaryRequest } from '@svc/core/client'
import type { CommandContext } from '../frame/context.ts'
import { toSafe } from '../frame/io.ts'
import { reportError } from '../frame/report-error.ts'
import { toRequest } from '../input/run-request.ts'
import { type CommandSource, commandSources, expandCommand, readCall } from '../input/slash-commands.ts'
import { wrong } from '../line/wrong.ts'
import { withServers } from '../mcp/task-parts.ts'
import { createProgress } from '../progress/index.ts'
import { renderCall } from '../progress/whole-call.ts'
import { toCount } from '../render/run/run.ts'
import { followRun, startRun } from '../session/follow-run.ts'
import type { Started } from '../session/start-own.ts'
import { changesOf, filesOf } from './commands/changes.ts'
import { copyAnswer } from './commands/copy.ts'
import { sayCost } from './commands/cost.ts'
import { completeCommand, layOutHelp, listCommands, renderHelp, unknownCommand } from './commands/help.ts'
import { chooseModel, chooseTopology, readBudget, type Settings } from './commands/settings.ts'
import { chooseThread, showLastTurn } from './commands/threads.ts'
import { completeFile, mentionedFiles } from './mentions.ts'
import { rewind, undoLast } from './rewind.ts'
import { ChatScreen } from './screen.ts'

/** One thread, turn by turn. */
export class Conversation {
  readonly #context: CommandContext
  readonly #runtime: Runtime
  readonly #isDurable: boolean
  readonly #loaded: LoadedConfig | undefined
  readonly #sources: readonly CommandSource[]
  /** Undefined in a pipe, and where everything is plain lines. */
  readonly screen: ChatScreen | undefined
  #threadId: string
  #settings: Settings = {}
  #model = ''
  #hasDetails = false
  #mayCopy = false
  #lastCall: ToolCallView | undefined

  constructor(
    context: CommandContext,
    { runtime, isDurable, loaded, threadId }: Pick<Started, 'runtime' | 'isDurable' | 'loaded'> & { threadId: string },
  ) {
    const { io } = context
    this.#context = context
    this.#runtime = runtime
    this.#isDurable = isDurable
    this.#loaded = loaded
    this.#sources = commandSources({ loaded })
    this.#threadId = threadId
    this.screen =
      io.isInteractive && io.canRedraw
        ? new ChatScreen(io, {
            complete: (text, cursor) => this.#complete(text, cursor),
            footer: () => this.#footer(),
            onDetails: () => this.#showLast(),
          })
        : undefined
  }

  /** What it goes on with: another one once it was taken back, or another one was chosen. */
  get threadId(): string {
    return this.#threadId
  }

  /** Finds out which model answers, for the last line of the screen. */
  async learnModel(): Promise<void> {
    this.#model = (await this.#runtime.describe()).defaultModel
    this.screen?.refresh()
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
      if (name === 'compact') return await this.#start(toSummaryRequest(args))
      const command = this.#own(name)
      if (command === undefined) return await this.#run(line, 'execute', name)
      await command(args)
      return 0
    } catch (thrown) {
      return reportError(thrown, io, flags.output !== 'text', flags.verbose)
    }
  }

  /** Commands that make no turn. */
  #own(name: string): ((args: string) => unknown) | undefined {
    const { io } = this.#context
    const where = { io, runtime: this.#runtime, screen: this.screen }
    const commands: Readonly<Record<string, (args: string) => unknown>> = {
      model: async (args) => this.#set(await chooseModel(where, args)),
      topology: async (args) => this.#set(await chooseTopology(where, args)),
      budget: (args) => this.#set(readBudget(where, args, this.#settings.tokenBudget ?? this.#context.flags.budget)),
      undo: () => this.#paused(() => undoLast(this.#context, this.#runtime, this.#threadId)),
      rewind: async (args) => {
        this.#threadId = await this.#paused(() => rewind(this.#context, this.#runtime, this.#threadId, args))
      },
      cost: () => sayCost(this.#context, this.#runtime, this.#threadId),
      help: () => this.#help(),
      diff: () => this.#diff(),
      files: async () =>
        this.#say(await filesOf(this.#runtime, this.#threadId, this.#context.flags.file), 'no files yet'),
      resume: (args) => this.#resume(args),
      new: async () => this.#goOnWith((await this.#runtime.threads.create()).id),
      ...(this.screen !== undefined && {
        details: (args) => this.#setDetails(args),
        copy: async () => {
          this.#mayCopy = await copyAnswer(this.#context, this.#runtime, this.#threadId, this.#mayCopy, (ask) =>
            this.#paused(ask),
          )
        },
        edit: (args) => this.screen?.edit(args),
      }),
    }
    return Object.hasOwn(commands, name) ? commands[name] : undefined
  }

  #paused<T>(work: () => Promise<T>): Promise<T> {
    return this.screen === undefined ? work() : this.screen.pause(work)
  }

  #say(lines: readonly string[], none: string): void {
    this.#context.io.show(`${(lines.length === 0 ? [none] : lines).map((line) => `  ${line}`).join('\n')}\n`)
  }

  #set(settings: Settings): void {
    this.#settings = { ...this.#settings, ...settings }
    const said = Object.values(settings)
    if (said.length > 0) this.#context.io.err(`  later turns: ${toSafe(said.join(', '))}\n`)
  }

  #setDetails(word: string): void {
    if (word !== '' && word !== 'on' && word !== 'off') throw wrong(`/details is on or off, not "${word.slice(0, 80)}"`)
    this.#hasDetails = word === '' ? !this.#hasDetails : word === 'on'
    this.#context.io.err(`  details ${this.#hasDetails ? 'on' : 'off'}\n`)
  }

  async #diff(): Promise<void> {
    const messages = await this.#runtime.threads.messages(this.#threadId)
    const last = messages.findLast(({ role }) => role === 'user')
    if (last === undefined) throw wrong('/diff: nothing was done in this conversation yet')
    this.#say(await changesOf(this.#runtime, last.runId, this.#context.io.paint), 'the last turn changed no file')
  }

  async #resume(word: string): Promise<void> {
    const id = await chooseThread(this.#context, this.#runtime, this.screen, word, this.#threadId)
    if (id === undefined) return
    await this.#goOnWith(id)
    await this.showLastTurn()
  }

  /** A conversation in which nothing was said is not kept. */
  async #goOnWith(id: string): Promise<void> {
    const before = this.#threadId
    if (id === before) return
    this.#threadId = id
    if ((await this.#runtime.threads.messages(before)).length === 0) await this.#runtime.threads.delete(before)
    this.#context.io.err(`svc: ${id}\n`)
  }

  /** What was said last, for somebody who comes back. */
  showLastTurn(): Promise<void> {
    return showLastTurn(this.#context, this.#runtime, this.#threadId)
  }

  #showLast(): void {
    const { io } = this.#context
    const call = this.#lastCall
    if (call === undefined) io.err('  no tool was called yet\n')
    else io.show(`${io.paint.bold(`  ${toSafe(call.tool)}`)}\n${renderCall(call, io, true).join('\n')}\n`)
  }

  #footer(): string {
    const { flags } = this.#context
    const { model = this.#model, topology = flags.topology, tokenBudget = flags.budget } = this.#settings
    const budget = tokenBudget === undefined ? undefined : `${toCount(tokenBudget)} tokens`
    return [model, topology, budget, '/help'].filter((part) => part !== undefined && part !== '').join(' · ')
  }

  async #complete(text: string, cursor: number) {
    const isCommand = /^\/[^\s/]*$/.test(text.slice(0, cursor))
    if (!isCommand) return completeFile(this.#runtime, text, cursor)
    return completeCommand(await listCommands(this.#sources, true), text.slice(0, cursor))
  }

  async #help(): Promise<void> {
    const { io } = this.#context
    const commands = await listCommands(this.#sources, this.screen !== undefined)
    io.err(`${this.screen === undefined ? renderHelp(commands) : layOutHelp(commands, io)}\n`)
  }

  /** @param called the command that the task begins with; with a `:` it may be somebody else's */
  async #run(task: string, mode: Mode, called?: string): Promise<number> {
    const { flags, io } = this.#context
    if (task.trim() === '') throw wrong(`/${mode} needs a task`)
    const asked = await toRequest(task, mode, flags, io)
    const expanded = await expandCommand(asked, this.#sources)
    if (expanded === undefined && called !== undefined && !called.includes(':'))
      throw unknownCommand(`/${called}`, await listCommands(this.#sources, this.screen !== undefined))
    const request = { ...(expanded ?? asked), ...this.#settings }
    const files = this.screen === undefined ? [] : await mentionedFiles(this.#runtime, request.task)
    if (files.length > 0) request.files = files
    return this.#start(await withServers(this.#context, this.#loaded, request))
  }

  async #start(request: RunCreate): Promise<number> {
    const { flags, io } = this.#context
    const { id } = await startRun(this.#context, this.#runtime, { ...request, threadId: this.threadId })
    const progress = createProgress(flags, io, this.screen, {
      hint: 'Esc stops',
      hasDetails: () => this.#hasDetails,
      onCall: (call) => {
        this.#lastCall = call
      },
    })
    const follow = (): Promise<number> =>
      followRun(this.#context, this.#runtime, id, progress, { isDurable: this.#isDurable, isOneOfMany: true })
    if (this.screen === undefined) return follow()
    let isStopped = false
    return this.screen.work(follow, (key) => {
      // A second signal ends the process.
      if (!isStopped || key === 'ctrl-c') process.emit('SIGINT', 'SIGINT')
      isStopped = true
    })
  }

  /** Whether nothing was said in it. */
  async isEmpty(): Promise<boolean> {
    return (await this.#runtime.threads.messages(this.threadId)).length === 0
  }
}
