import { RunView, type StepView } from '@svc/core'
import { shownStateOf } from '@svc/core/client'
import { type Io, toSafe, toSafeLine } from '../frame/io.ts'
import { toDuration } from '../render/time.ts'
import { fit, toLines, widthOf } from '../render/width.ts'
import type { Progress } from './progress.ts'
import type { Screen } from './screen.ts'

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
/** In place of these where nobody is at work. */
const STILL = '◆'
/** At most ten redraws a second. */
const FRAME_MS = 100
const MOST_STEPS = 12
/** Lines of what one of several agents writes. */
const LINES_OF_TEAM = 4
/** Less of an objective says nothing beside what its step does: that gets a line of its own. */
const LEAST_OBJECTIVE = 24

/** More of a call is not seen on any screen. */
const MOST_OF_CALL = 2_000

/**
 * One live tree: stage, agents, steps, tokens against the budget, cost and time; below it what an agent is writing, of a
 * team folded to its last lines. It has a screen of its own, is never higher or wider than that, and cuts no name: not
 * that of a step, an agent or a tool.
 */
export function createTree(io: Pick<Io, 'paint' | 'columns' | 'rows' | 'openScreen'>): Progress {
  const { paint } = io
  /** When the run was asked for, which may be long ago in another process. */
  let startedMs = Date.now()
  let newestMs = startedMs
  const view = new RunView()
  const marks: Readonly<Record<StepView['status'], string>> = {
    pending: ' ',
    running: paint.cyan('◌'),
    waiting: paint.yellow('◆'),
    completed: paint.green('✓'),
    failed: paint.red('✗'),
    skipped: paint.dim('–'),
    cancelled: paint.dim('–'),
  }
  let screen: Screen | undefined
  let frame = 0
  let pauses = 0
  /** Calls whose words are not the answer. */
  let takenBack = 0
  let timer: NodeJS.Timeout | undefined

  const lines = (): string[] => {
    const head = headLines()
    const steps = stepLines(io.rows - head.length)
    return [...head, ...steps, ...writing(io.rows - head.length - steps.length)].slice(0, io.rows)
  }
  const headLines = (): string[] => {
    const { usage, costUsd, status, topology } = view
    const { isAtWork } = shownStateOf(view)
    const doing = isAtWork ? (view.stage ?? 'working') : status
    const used = usage.inputTokens + usage.outputTokens
    const facts = [
      ...(topology === undefined ? [] : [topology]),
      view.allocation === undefined ? `${used} tokens` : `${used}/${view.allocation.total} tokens`,
      ...(costUsd === null || costUsd === 0 ? [] : [`$${costUsd.toFixed(4)}`]),
      toDuration((isAtWork ? Date.now() : newestMs) - startedMs),
    ]
    const [first = '', ...more] = toLines(`${doing}  ${facts.join('  ')}`, Math.max(2, io.columns - 2))
    const spin = isAtWork ? (FRAMES[frame++ % FRAMES.length] ?? '') : STILL
    return [
      `${paint.cyan(spin)} ${paint.bold(first.slice(0, doing.length))}${first.slice(doing.length)}`,
      ...more.map((line) => `  ${line}`),
    ]
  }
  /** The steps that have room, those at work before those that are done. */
  const stepLines = (room: number): string[] => {
    const blocks = [...view.steps.values()].map((step) => ({ step, lines: linesOf(step) }))
    const most = Math.max(0, room - 1)
    let left = blocks.length
    let height = blocks.reduce((sum, block) => sum + block.lines.length, 0)
    for (const isDone of [true, false]) {
      for (const block of blocks) {
        if (left <= MOST_STEPS && height <= (left < blocks.length ? most : room)) break
        if (block.lines.length === 0 || isDone !== DONE.has(block.step.status)) continue
        height -= block.lines.length
        left--
        block.lines = []
      }
    }
    const shown = blocks.flatMap((block) => block.lines)
    const hidden = blocks.length - left
    return hidden === 0 || room === 0 ? shown : [`  ${paint.dim(`and ${hidden} more`)}`, ...shown]
  }
  const linesOf = (step: StepView): string[] => {
    const width = Math.max(2, io.columns - 4)
    const [id, agentId] = [toSafeLine(step.id), toSafeLine(step.agentId)]
    const name = `${id} ${agentId}`
    const activity = activityOf(view, step)
    const objective = toSafe(step.objective)
    const mark = `  ${marks[step.status]} `
    const below = activity === '' ? [] : atMostTwo(toLines(activity, width), width)
    const isNarrow = widthOf(name) + LEAST_OBJECTIVE > width
    const rest = width - widthOf(name) - 1
    if (isNarrow) {
      const [first = '', ...more] = toLines(name, width)
      const lines = [...more, ...[fit(objective, width), ...below].map((line) => paint.dim(line))]
      return [`${mark}${first}`, ...lines.map((line) => `    ${line}`)]
    }
    const named = `${mark}${id} ${paint.dim(agentId)}`
    const left = rest - widthOf(activity) - 2
    if (activity !== '' && left >= Math.min(LEAST_OBJECTIVE, widthOf(objective)))
      return [`${named} ${fit(objective, left)}${paint.dim(`  ${activity}`)}`]
    return [`${named} ${fit(objective, rest)}`, ...below.map((line) => `    ${paint.dim(line)}`)]
  }
  /** The end of what is being written. What has been said stays until the next call of the one who said it. */
  const writing = (room: number): string[] => {
    const isTeam = (view.plan?.agents.length ?? 1) > 1
    const call = view.modelCalls
      .slice(takenBack)
      .findLast(({ stepId, status, text }) => stepId !== undefined && text !== '' && (status === 'running' || !isTeam))
    const most = Math.min(room, isTeam ? LINES_OF_TEAM : room)
    if (call === undefined || most <= 0) return []
    const width = Math.max(2, io.columns - 5)
    // More than this is not seen, and a long text is not wrapped anew for each redraw.
    const text = toSafe(call.text.slice(-2 * width * most)).trimEnd()
    const shown = toLines(text, width).slice(-most)
    return shown.map((line) => (isTeam ? `  ${paint.dim('│')} ${line}` : `  ${line}`))
  }
  const clear = (): void => {
    screen?.close()
    screen = undefined
  }
  const draw = (): void => {
    if (pauses > 0) return
    screen ??= io.openScreen()
    screen.draw(lines())
  }

  return {
    show(event) {
      if (event.type === 'run.created') startedMs = Date.parse(event.time)
      newestMs = Date.parse(event.time)
      view.apply(event)
      if (event.type === 'message.reset' && event.data.reason === 'retry') takenBack = view.modelCalls.length
      timer ??= setInterval(draw, FRAME_MS)
      timer.unref()
    },
    async pause(work) {
      pauses++
      clear()
      try {
        return await work()
      } finally {
        pauses--
      }
    },
    end() {
      clearInterval(timer)
      timer = undefined
      clear()
    },
  }
}

const DONE: ReadonlySet<StepView['status']> = new Set(['completed', 'failed', 'skipped', 'cancelled'])

/** The first two of some lines; what is left out is said. */
const atMostTwo = ([first = '', second, ...more]: readonly string[], width: number): string[] =>
  second === undefined ? [first] : [first, fit(`${second}${more.join('')}`, width)]

/** What a step does at this moment; empty where it does nothing. */
function activityOf(view: RunView, { id, status }: StepView): string {
  if (status !== 'running') return ''
  const isAtWork = (call: { stepId?: string | undefined; status: string }): boolean =>
    call.stepId === id && (call.status === 'running' || call.status === 'requested')
  const tool = view.toolCalls.findLast(isAtWork)
  if (tool !== undefined) return toSafe(`${tool.tool} ${shortestFirst(tool.args)}`).slice(0, MOST_OF_CALL)
  const call = view.modelCalls.findLast(isAtWork)
  return call === undefined ? '' : call.text === '' ? 'thinking' : 'writing'
}

/** Arguments as JSON: where a line has no room for all, the names of files go before their contents. */
function shortestFirst(args: unknown): string {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return JSON.stringify(args) ?? ''
  const entries = Object.entries(args).map(([name, value]) => ({ name, value, json: JSON.stringify(value) ?? '' }))
  entries.sort((a, b) => a.json.length - b.json.length)
  return JSON.stringify(Object.fromEntries(entries.map(({ name, value }) => [name, value])))
}
