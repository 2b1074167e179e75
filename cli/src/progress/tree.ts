import { RunView, type StepView } from '@svc/core'
import { type Io, toSafe } from '../io.ts'
import { toDuration } from '../render/time.ts'
import { oneLine } from './one-line.ts'
import type { Progress } from './progress.ts'

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
/** At most ten redraws a second. */
const FRAME_MS = 100

/** One live tree: stage, agents, steps, tokens against the budget, cost and time. */
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
  let drawn = 0
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
    return [head, ...[...view.steps.values()].slice(-12).map(lineOf)]
  }
  const lineOf = (step: StepView): string => {
    const activity = activityOf(view, step)
    const objective = oneLine(toSafe(step.objective), 60)
    return `  ${marks[step.status]} ${step.id} ${paint.dim(step.agentId)} ${objective}${activity === '' ? '' : paint.dim(`  ${activity}`)}`
  }
  const clear = (): void => {
    if (drawn > 0) io.err(`\u001b[${drawn}A\u001b[0J`)
    drawn = 0
  }
  const draw = (): void => {
    if (pauses > 0) return
    const shown = lines()
    clear()
    io.err(`${shown.map((line) => clip(line, io.columns)).join('\n')}\n`)
    drawn = shown.length
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
        // A prompt ends its last line a moment after it has answered.
        setTimeout(() => pauses--, FRAME_MS)
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
  return view.modelCalls.some(isAtWork) ? 'thinking' : ''
}

/** A line that fits the terminal; escape sequences take no room. */
function clip(line: string, columns: number): string {
  let width = 0
  let result = ''
  // biome-ignore lint/suspicious/noControlCharactersInRegex: our own colour codes
  for (const [part, code] of line.matchAll(/(\u001b\[[0-9;]*m)|[^\u001b]/gu)) {
    if (code === undefined && ++width >= columns) return `${result}\u001b[0m`
    result += part
  }
  return result
}
