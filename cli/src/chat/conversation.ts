import type { LoadedConfig, Mode, Run, RunCreate, Runtime, ToolCallView, ValidationError } from '@svc/core'
import { askChoice } from '../ask/prompt.ts'
import type { CommandContext } from '../frame/context.ts'
import { type Io, toSafe } from '../frame/io.ts'
import { reportError } from '../frame/report-error.ts'
import { toRequest } from '../input/run-request.ts'
import { type CommandSource, commandSources, expandCommand, readCall } from '../input/slash-commands.ts'
import { didYouMean, wrong } from '../line/wrong.ts'
import { withServers } from '../mcp/task-parts.ts'
import { createProgress } from '../progress/index.ts'
import { renderCall } from '../progress/whole-call.ts'
import { renderMarkdown } from '../render/markdown/markdown.ts'
import { count } from '../render/one-line.ts'
import { toCount } from '../render/run.ts'
import { pad, toLines, widthOf } from '../render/width.ts'
import { everyItem } from '../session/every-item.ts'
import { followRun, startRun } from '../session/follow-run.ts'
import type { Started } from '../session/start-own.ts'
import { changesOf, filesOf } from './commands/changes.ts'
import { chooseModel, chooseTopology, readBudget, type Settings } from './commands/settings.ts'
import { AT_TERMINAL, COMMANDS, KEYS, MARKS } from './commands/specs.ts'
import { chooseThread } from './commands/threads.ts'
import { completeFile, mentionedFiles } from './mentions.ts'
import { rewind, undoLast } from './rewind.ts'
import { ChatScreen } from './screen.ts'

/** The clipboard of a terminal takes no more. */
const MOST_COPIED = 100_000
/** A longer name has a line of its own in help. */
const MOST_NAME = 22

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
      if (name === 'cost') return await this.#sayCost()
      if (name === 'help') return await this.#help()
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
      diff: () => this.#diff(),
      files: async () =>
        this.#say(await filesOf(this.#runtime, this.#threadId, this.#context.flags.file), 'no files yet'),
      resume: (args) => this.#resume(args),
      new: async () => this.#goOnWith((await this.#runtime.threads.create()).id),
      ...(this.screen !== undefined && {
        details: (args) => this.#setDetails(args),
        copy: () => this.#copy(),
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

  async #copy(): Promise<void> {
    const { io } = this.#context
    const messages = await this.#runtime.threads.messages(this.#threadId)
    const answer = messages.findLast(({ role }) => role === 'assistant')?.content
    if (answer === undefined) throw wrong('/copy: there is no answer yet')
    if (answer.length > MOST_COPIED)
      throw wrong(`/copy takes at most ${MOST_COPIED} characters, and the answer has ${answer.length}`)
    const ask = (): Promise<'yes' | 'no' | undefined> =>
      askChoice(
        io,
        'May svc write answers to the clipboard, in this conversation?',
        ['yes', 'no'],
        new AbortController().signal,
      )
    this.#mayCopy ||= (await this.#paused(ask)) === 'yes'
    if (!this.#mayCopy) return
    io.show(`\u001b]52;c;${Buffer.from(toSafe(io.redact(answer))).toString('base64')}\u0007`)
    io.err(`  copied ${count(answer.length, 'character')}, where the terminal allows it\n`)
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
  async showLastTurn(): Promise<void> {
    const { io } = this.#context
    const messages = await this.#runtime.threads.messages(this.#threadId)
    const at = messages.findLastIndex(({ role }) => role === 'user')
    if (at < 0) return
    if (at > 0) io.err(`${io.paint.dim(`  … ${count(at, 'message')} before`)}\n`)
    const [asked, answered] = messages.slice(at)
    io.err(`\n> ${toSafe(io.redact(asked?.content ?? ''))}\n`)
    const answer = io.redact(answered?.content ?? '')
    if (answer === '') return
    io.out(`${(io.isPlain ? [toSafe(answer)] : renderMarkdown(answer, io.columns - 1, io.outPaint)).join('\n')}\n`)
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
    const [, word] = /^(\/[^\s/]*)$/.exec(text.slice(0, cursor)) ?? []
    if (word === undefined) return completeFile(this.#runtime, text, cursor)
    const all = await this.#commands()
    const known = all.filter(([name]) => /^\/[\w:-]+$/.test(name))
    const begins = known.filter(([name]) => name.startsWith(word))
    const found = begins.length > 0 ? begins : known.filter(([name]) => name.includes(word.slice(1)))
    const choices = found.map(([name, args, about]) => ({
      label: args === '' ? name : `${name} ${args}`,
      about,
      value: args === '' ? name : `${name} `,
    }))
    return { from: 0, choices }
  }

  /** Those of the conversation itself go before others of the same name. */
  async #commands(): Promise<[name: string, args: string, about: string][]> {
    const lists = await Promise.all(this.#sources.map((source) => source.list()))
    const flat = (text: string): string => toSafe(text).replace(/\s+/g, ' ')
    const own = Object.entries(COMMANDS).filter(([name]) => this.screen !== undefined || !AT_TERMINAL.has(name))
    const others = lists
      .flat()
      .filter(({ name }) => !Object.hasOwn(COMMANDS, name))
      .map(({ name, argumentHint = '', description = '' }): [string, string, string] => [
        `/${name}`,
        flat(argumentHint),
        flat(description),
      ])
    return [...own.map(([name, [args, about]]): [string, string, string] => [`/${name}`, args, about]), ...others]
  }

  async #help(): Promise<number> {
    const commands = (await this.#commands()).map(([name, args, about]) => {
      const rest = [args, about].filter((text) => text !== '').join(': ')
      return `  ${name} ${rest}`.trimEnd()
    })
    const { io } = this.#context
    const others = MARKS.map(([name, about]) => `  ${name} ${about}`)
    if (this.screen === undefined) io.err(`${[...commands, ...others].join('\n')}\n`)
    else io.err(`${this.#layOutHelp(await this.#commands(), io)}\n`)
    return 0
  }

  /** Help at a terminal: two columns. */
  #layOutHelp(commands: readonly (readonly [name: string, args: string, about: string])[], io: Io): string {
    const rows = [
      ...commands.map(([name, args, about]) => [`${name} ${args}`.trim(), about] as const),
      ...MARKS,
      ...KEYS,
    ]
    const room = Math.max(...rows.map(([name]) => widthOf(name)).filter((width) => width <= MOST_NAME))
    return rows
      .flatMap(([name, about]) => {
        const [first = '', ...more] = toLines(about, Math.max(2, io.columns - room - 5))
        const head = `  ${io.paint.bold(pad(name, room))}  `
        const rest = more.map((line) => ' '.repeat(room + 4) + line)
        return widthOf(name) > room ? [head.trimEnd(), ' '.repeat(room + 4) + first, ...rest] : [head + first, ...rest]
      })
      .join('\n')
  }

  /** @param called the command that the task begins with; with a `:` it may be somebody else's */
  async #run(task: string, mode: Mode, called?: string): Promise<number> {
    const { flags, io } = this.#context
    if (task.trim() === '') throw wrong(`/${mode} needs a task`)
    const asked = await toRequest(task, mode, flags, io)
    const expanded = await expandCommand(asked, this.#sources)
    if (expanded === undefined && called !== undefined && !called.includes(':'))
      throw unknown(`/${called}`, await this.#commands())
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

  /** Whether nothing was said in it. */
  async isEmpty(): Promise<boolean> {
    return (await this.#runtime.threads.messages(this.threadId)).length === 0
  }
}

/** What `/compact` asks for: one agent that reads the conversation and nothing else. */
export function toSummaryRequest(focus: string): RunCreate {
  const task =
    'Sum up this conversation, so that it can go on from your summary alone: what was asked and why, what was found and decided, what is done and what is open. Keep names, paths, figures and commands word for word, and add nothing.'
  return {
    task: focus === '' ? task : `${task}\n\nAbove all: ${focus}`,
    summarizes: true,
    topology: 'SINGLE',
    tools: { allow: [] },
    consensus: false,
    reflect: false,
    memory: false,
  }
}

function unknown(command: string, commands: readonly (readonly [name: string, ...unknown[]])[]): ValidationError {
  const known = commands.map(([name]) => name).filter((name) => /^\/[\w:-]+$/.test(name))
  return wrong(`there is no ${command}${didYouMean(command, known, `: there are ${known.join(', ')}`)}`)
}
