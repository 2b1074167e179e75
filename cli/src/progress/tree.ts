import { RunView, type StepView } from '@svc/core'
import { type Io, toSafe } from '../io.ts'
import { oneLine } from '../render/one-line.ts'
import { toDuration } from '../render/time.ts'
import { clip, toLines } from '../render/width.ts'
import type { Progress } from './progress.ts'

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
/** At most ten redraws a second. */
const FRAME_MS = 100
const MOST_STEPS = 12
/** Lines of what one of several agents writes. */
const LINES_OF_TEAM = 4

/**
 * One live tree: stage, agents, steps, tokens against the budget, cost and time; below it what an agent is writing, of a
 * team folded to its last lines. It never takes more than the screen, so that all of it can be taken back.
 */
export function createTree(io: Io): Progress {
  const { paint } = io
  /** When the run was asked for, which may be long ago in another process. */
  let startedMs = Date.now()
  const view = new RunView()
  const marks: Readonly<Record<StepView['status'], string>> = {
    pending: ' ',
    running: paint.cyan('◌'),
    completed: paint.green('✓'),
    failed: paint.red('✗'),
    skipped: paint.dim('–'),
    cancelled: paint.dim('–'),
  }
  /** Columns of each line that stands on the screen. */
  let drawn: number[] = []
  let frame = 0
  let pauses = 0
  let timer: NodeJS.Timeout | undefined

  const lines = (): string[] => {
    const elapsed = toDuration(Date.now() - startedMs)
    const { usage, costUsd, stage = 'working', topology } = view
    const used = usage.inputTokens + usage.outputTokens
    const budget = view.allocation === undefined ? `${used} tokens` : `${used}/${view.allocation.total} tokens`
    const cost = costUsd === null || costUsd === 0 ? '' : `  $${costUsd.toFixed(4)}`
    const spin = FRAMES[frame++ % FRAMES.length] ?? ''
    const head = `${paint.cyan(spin)} ${paint.bold(stage)}${topology === undefined ? '' : `  ${topology}`}  ${budget}${cost}  ${elapsed}`
    const room = Math.max(0, io.rows - 2)
    const steps = [...view.steps.values()].slice(-Math.min(MOST_STEPS, room || 1)).map(lineOf)
    return [head, ...steps.slice(0, room), ...writing(Math.max(0, room - steps.length))]
  }
  const lineOf = (step: StepView): string => {
    const activity = activityOf(view, step)
    const objective = oneLine(toSafe(step.objective), 60)
    return `  ${marks[step.status]} ${step.id} ${paint.dim(step.agentId)} ${objective}${activity === '' ? '' : paint.dim(`  ${activity}`)}`
  }
  /** The end of what is being written. What has been said stays until the next call of the one who said it. */
  const writing = (room: number): string[] => {
    const isTeam = (view.plan?.agents.length ?? 1) > 1
    const call = view.modelCalls.findLast(
      ({ stepId, status, text }) => stepId !== undefined && text !== '' && (status === 'running' || !isTeam),
    )
    const most = Math.min(room, isTeam ? LINES_OF_TEAM : room)
    if (call === undefined || most === 0) return []
    const width = Math.max(2, io.columns - 5)
    // More than this is not seen, and a long text is not wrapped anew for each redraw.
    const text = toSafe(call.text.slice(-2 * width * most)).trimEnd()
    const shown = toLines(text, width).slice(-most)
    return shown.map((line) => (isTeam ? `  ${paint.dim('│')} ${line}` : `  ${line}`))
  }
  /** What takes the last frame off the screen: a narrower terminal has broken its lines anew. */
  const eraser = (): string => {
    const rows = drawn.reduce((sum, width) => sum + Math.max(1, Math.ceil(width / io.columns)), 0)
    drawn = []
    // The keys of a person are echoed where the cursor stands.
    return rows === 0 ? '' : `\r\u001b[${Math.min(rows, io.rows - 1)}A\u001b[0J`
  }
  const clear = (): void => {
    const text = eraser()
    if (text !== '') io.err(text)
  }
  const draw = (): void => {
    if (pauses > 0) return
    const shown = lines().map((line) => clip(line, io.columns - 1))
    io.err(`${eraser()}${shown.map(({ text }) => text).join('\n')}\n`)
    drawn = shown.map(({ width }) => width)
  }
  const begin = (): void => {
    timer ??= setInterval(draw, FRAME_MS)
    timer.unref()
  }

  return {
    show(event) {
      if (event.type === 'run.created') startedMs = Date.parse(event.time)
      view.apply(event)
      begin()
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

/** What a step does at this moment; empty where it does nothing. */
function activityOf(view: RunView, { id, status }: StepView): string {
  if (status !== 'running') return ''
  const isAtWork = (call: { stepId?: string | undefined; status: string }): boolean =>
    call.stepId === id && (call.status === 'running' || call.status === 'requested')
  const tool = view.toolCalls.findLast(isAtWork)
  if (tool !== undefined) return oneLine(toSafe(`${tool.tool} ${JSON.stringify(tool.args) ?? ''}`), 50)
  const call = view.modelCalls.findLast(isAtWork)
  return call === undefined ? '' : call.text === '' ? 'thinking' : 'writing'
}
