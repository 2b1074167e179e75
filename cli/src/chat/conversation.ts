import type { LoadedConfig, Mode, RunCreate, ToolCallView } from '@svc/core'
import { toSummaryRequest } from '@svc/core/client'
import type { CommandContext } from '../frame/context.ts'
import { type Io, toSafe } from '../frame/io.ts'
import { reportError } from '../frame/report-error.ts'
import { toRequest } from '../input/run-request.ts'
import { commandSources, expandCommand, readCall } from '../input/slash-commands.ts'
import { wrong } from '../line/wrong.ts'
import { withServers } from '../mcp/task-parts.ts'
import { renderCall } from '../progress/whole-call.ts'
import { toCount } from '../render/run/run.ts'
import type { Started } from '../session/start-own.ts'
import type { Chat } from './commands/chat.ts'
import { completeCommand, listCommands, unknownCommand } from './commands/help.ts'
import { ownCommand } from './commands/own.ts'
import { showLastTurn } from './commands/threads.ts'
import { completeFile, mentionedFiles } from './mentions.ts'
import { Outbox } from './outbox.ts'
import { PlainTerminal } from './plain-terminal.ts'
import { ChatScreen } from './screen.ts'
import type { ChatTerminal } from './terminal.ts'
import { takeTurn } from './turn.ts'

/** One thread, turn by turn. */
export class Conversation {
  readonly #chat: Chat
  readonly #isDurable: boolean
  readonly #loaded: LoadedConfig | undefined
  /** Where a person is asked for the next turn; undefined in a pipe. */
  readonly terminal: ChatTerminal | undefined
  readonly #outbox: Outbox
  #model = ''
  #lastCall: ToolCallView | undefined

  constructor(
    context: CommandContext,
    { runtime, isDurable, loaded, threadId }: Pick<Started, 'runtime' | 'isDurable' | 'loaded'> & { threadId: string },
  ) {
    const { io } = context
    this.#isDurable = isDurable
    this.#loaded = loaded
    this.#outbox = new Outbox(runtime, (words, problem) => this.#sayOf(words, problem))
    const screen = io.isInteractive && io.canRedraw ? this.#openScreen(io) : undefined
    this.terminal = screen ?? (io.isInteractive ? new PlainTerminal(io, this.#outbox) : undefined)
    this.#chat = {
      context,
      runtime,
      sources: commandSources({ loaded }),
      threadId,
      settings: {},
      hasDetails: false,
      mayCopy: false,
      screen,
    }
  }

  /** What it goes on with: another one once it was taken back, or another one was chosen. */
  get threadId(): string {
    return this.#chat.threadId
  }

  /** Finds out which model answers, for the last line of the screen. */
  async learnModel(): Promise<void> {
    this.#model = (await this.#chat.runtime.describe()).defaultModel
    this.#chat.screen?.refresh()
  }

  /**
   * Takes one turn: a task, or a command that begins with a slash.
   *
   * @returns the turn's exit code; undefined where the person wants to leave
   */
  async take(line: string): Promise<number | undefined> {
    const { flags, io } = this.#chat.context
    const { name, args = '' } = readCall(line) ?? {}
    try {
      if (name === undefined) return await this.#run(line, 'execute')
      if (name === 'exit' || name === 'quit') return undefined
      if (name === 'plan') return await this.#run(args, 'plan')
      if (name === 'compact') return await this.#start(toSummaryRequest(args))
      const command = ownCommand(this.#chat, name)
      if (command === undefined) return await this.#run(line, 'execute', name)
      await command(this.#chat, args)
      return 0
    } catch (thrown) {
      return reportError(thrown, io, flags.output !== 'text', flags.verbose)
    }
  }

  /** What was said last, for somebody who comes back. */
  showLastTurn(): Promise<void> {
    return showLastTurn(this.#chat)
  }

  #openScreen(io: Io): ChatScreen {
    return new ChatScreen(io, {
      outbox: this.#outbox,
      complete: (text, cursor) => this.#complete(text, cursor),
      footer: () => this.#footer(),
      onDetails: () => this.#showLast(),
    })
  }

  /** What came of a text that was typed while a turn works; where lines are plain, in words. */
  #sayOf(words: string, problem: unknown): void {
    const { context, screen } = this.#chat
    const { flags, io } = context
    if (problem !== undefined) reportError(problem, io, false, flags.verbose)
    if (screen === undefined && !flags.quiet) io.err(`svc: ${words}\n`)
    screen?.refresh()
  }

  #showLast(): void {
    const { io } = this.#chat.context
    const call = this.#lastCall
    if (call === undefined) io.err('  no tool was called yet\n')
    else io.show(`${io.paint.bold(`  ${toSafe(call.tool)}`)}\n${renderCall(call, io, true).join('\n')}\n`)
  }

  #footer(): string {
    const { flags } = this.#chat.context
    const { model = this.#model, topology = flags.topology, tokenBudget = flags.budget } = this.#chat.settings
    const budget = tokenBudget === undefined ? undefined : `${toCount(tokenBudget)} tokens`
    return [model, topology, budget, '/help'].filter((part) => part !== undefined && part !== '').join(' · ')
  }

  async #complete(text: string, cursor: number) {
    const isCommand = /^\/[^\s/]*$/.test(text.slice(0, cursor))
    if (!isCommand) return completeFile(this.#chat.runtime, text, cursor)
    return completeCommand(await listCommands(this.#chat.sources, true), text.slice(0, cursor))
  }

  /** @param called the command that the task begins with; with a `:` it may be somebody else's */
  async #run(task: string, mode: Mode, called?: string): Promise<number> {
    const { context, runtime, sources, settings, screen } = this.#chat
    const { flags, io } = context
    if (task.trim() === '') throw wrong(`/${mode} needs a task`)
    const asked = await toRequest(task, mode, flags, io)
    const expanded = await expandCommand(asked, sources)
    if (expanded === undefined && called !== undefined && !called.includes(':'))
      throw unknownCommand(`/${called}`, await listCommands(sources, screen !== undefined))
    const request = { ...(expanded ?? asked), ...settings }
    const files = screen === undefined ? [] : await mentionedFiles(runtime, request.task)
    if (files.length > 0) request.files = files
    return this.#start(await withServers(context, this.#loaded, request))
  }

  #start(request: RunCreate): Promise<number> {
    return takeTurn(this.#chat, request, {
      isDurable: this.#isDurable,
      outbox: this.#outbox,
      terminal: this.terminal,
      onCall: (call) => {
        this.#lastCall = call
      },
    })
  }

  /** Whether nothing was said in it. */
  async isEmpty(): Promise<boolean> {
    return (await this.#chat.runtime.threads.messages(this.threadId)).length === 0
  }
}
