import type { RunEvent } from '@svc/core'
import { type Io, toSafe } from '../io.ts'
import { oneLine } from './one-line.ts'
import type { Progress } from './progress.ts'

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
/** At most ten redraws a second. */
const FRAME_MS = 100

interface Step {
  agentId: string
  objective: string
  status: 'running' | 'completed' | 'failed' | 'skipped'
  doing: string
}

/** One live tree: stage, agents, steps, tokens against the budget, cost and time. */
export function createTree(io: Io): Progress {
  const { paint } = io
  const started = performance.now()
  const steps = new Map<string, Step>()
  const state = { stage: '', topology: '', used: new Map<string, number>(), total: 0, costUsd: null as number | null }
  let drawn = 0
  let frame = 0
  let paused = false
  let timer: NodeJS.Timeout | undefined

  const lines = (): string[] => {
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    const used = [...state.used.values()].reduce((sum, tokens) => sum + tokens, 0)
    const budget = state.total === 0 ? `${used} tokens` : `${used}/${state.total} tokens`
    const cost = state.costUsd === null || state.costUsd === 0 ? '' : `  $${state.costUsd.toFixed(4)}`
    const spin = FRAMES[frame++ % FRAMES.length] ?? ''
    const head = `${paint.cyan(spin)} ${paint.bold(state.stage || 'starting')}${state.topology === '' ? '' : `  ${state.topology}`}  ${budget}${cost}  ${seconds}s`
    return [
      head,
      ...[...steps]
        .slice(-12)
        .map(
          ([id, step]) =>
            `  ${mark(step)} ${id} ${paint.dim(step.agentId)} ${step.objective}${step.doing === '' ? '' : paint.dim(`  ${step.doing}`)}`,
        ),
    ]
  }
  const mark = ({ status }: Step): string =>
    ({ running: paint.cyan('◌'), completed: paint.green('✓'), failed: paint.red('✗'), skipped: paint.dim('–') })[status]
  const clear = (): void => {
    if (drawn > 0) io.err(`\u001b[${drawn}A\u001b[0J`)
    drawn = 0
  }
  const draw = (): void => {
    if (paused) return
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
      note(event, state, steps)
      begin()
    },
    async pause(work) {
      paused = true
      clear()
      try {
        return await work()
      } finally {
        paused = false
      }
    },
    end() {
      clearInterval(timer)
      timer = undefined
      clear()
    },
  }
}

function note(
  { type, stage, stepId = '', agentId = '', data }: RunEvent,
  state: { stage: string; topology: string; used: Map<string, number>; total: number; costUsd: number | null },
  steps: Map<string, Step>,
): void {
  const step = steps.get(stepId)
  if (type === 'stage.started' && stage !== undefined) state.stage = stage
  else if (type === 'budget.allocated') state.total = Number(data.total)
  else if (type === 'plan.created') state.topology = String(data.topology)
  else if (type === 'budget.updated') {
    state.used.set(agentId, Number(data.used))
    state.costUsd = data.costUsd as number | null
  } else if (type === 'step.started')
    steps.set(stepId, { agentId, objective: oneLine(toSafe(String(data.objective)), 60), status: 'running', doing: '' })
  else if (step === undefined) return
  else if (type === 'tool.requested')
    step.doing = oneLine(toSafe(`${data.tool} ${JSON.stringify(data.args) ?? ''}`), 50)
  else if (type === 'model.started') step.doing = 'thinking'
  else if (type === 'step.completed' || type === 'step.failed' || type === 'step.skipped') {
    step.status = type.slice(5) as Step['status']
    step.doing = ''
  }
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
