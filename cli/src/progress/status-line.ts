import type { RunView } from '@svc/core'
import { shownStateOf } from '@svc/core/client'
import type { Io } from '../frame/io.ts'
import { toCount } from '../render/run/run.ts'
import { toDuration } from '../render/time.ts'
import { fit, widthOf } from '../render/width.ts'
import { STILL } from './at-work.ts'
import type { RunClock } from './clock.ts'

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const FRAME_MS = 80

/** What a run does as a whole, with time, tokens and cost so far, and how to stop it. */
export function renderStatus(
  view: RunView,
  clock: RunClock,
  hint: string,
  paint: Io['paint'],
  columns: number,
): string {
  const { usage, costUsd, stage, allocation, status, topology } = view
  const { isAtWork } = shownStateOf(view)
  const used = usage.inputTokens + usage.outputTokens
  const facts = [
    toDuration(clock.elapsedMs(isAtWork)),
    `${toCount(used)}${allocation === undefined ? '' : `/${toCount(allocation.total)}`} tokens`,
    ...(costUsd === null || costUsd === 0 ? [] : [`$${costUsd.toFixed(4)}`]),
    ...(isAtWork ? [hint] : []),
  ]
  const mark = isAtWork ? (FRAMES[Math.floor(Date.now() / FRAME_MS) % FRAMES.length] ?? '') : STILL
  const doing = isAtWork ? ((stage === 'execute' ? topology : stage) ?? 'working') : status
  const rest = fit(` · ${facts.join(' · ')}`, Math.max(2, columns - 4 - widthOf(doing)))
  return `${paint.cyan(mark)} ${paint.bold(doing)}${paint.dim(` ${rest}`)}`
}
