import type { RunView, StepView } from '@svc/core'
import { type Io, toSafe, toSafeLine } from '../frame/io.ts'
import { fit, toLines, widthOf } from '../render/width.ts'
import { describeCall } from './call-line.ts'

/** A mark of what nobody works on. */
export const STILL = '◆'
/** Of one call. */
export const MOST_LINES = 3
/** Less of an objective says nothing beside its step. */
export const LEAST_OBJECTIVE = 20
/** Of what an agent of a team writes. */
const MOST_WRITTEN = 4

/** What goes on at this moment, in at most `most` lines: steps of a team with what each does, or the calls of one agent. */
export function linesAtWork(view: RunView, isTeam: boolean, io: Io, columns: number, most: number): string[] {
  const { paint } = io
  const width = Math.max(2, columns - 4)
  const blocks = isTeam
    ? [...view.steps.values()].filter(({ status }) => AT_WORK.has(status)).map((step) => linesOf(view, step, io, width))
    : view.toolCalls
        .filter(({ status }) => status === 'requested' || status === 'running')
        .map((call) => atMost(MOST_LINES, toLines(describeCall(call, io), width)))
        .map((lines) => lines.map((line, at) => `${at === 0 ? paint.cyan('○') : ' '} ${line}`))
  const shown: string[] = []
  for (const [at, block] of blocks.entries()) {
    const isLast = at === blocks.length - 1
    if (shown.length + block.length + (isLast ? 0 : 1) > most) {
      shown.push(paint.dim(`  and ${blocks.length - at} more`))
      break
    }
    shown.push(...block)
  }
  return shown.slice(0, Math.max(0, most))
}

/** A step with what it does: beside it where there is room, else below it; no name is cut. */
function linesOf(view: RunView, step: StepView, io: Io, width: number): string[] {
  const { paint } = io
  const name = `${toSafeLine(step.id)} ${toSafeLine(step.agentId)}`
  const room = width - widthOf(name) - 1
  const mark = step.status === 'waiting' ? paint.yellow(STILL) : paint.cyan('◌')
  const doing = activityOf(view, step, io)
  const objective = toSafe(io.redact(step.objective))
  const left = room - widthOf(doing) - 2
  const below = doing === '' ? [] : atMost(2, toLines(doing, width - 2)).map((line) => `    ${paint.dim(line)}`)
  if (room < LEAST_OBJECTIVE) return [`${mark} ${fit(name, width)}`, ...below]
  if (doing === '') return [`${mark} ${name} ${paint.dim(fit(objective, room))}`]
  if (left >= LEAST_OBJECTIVE) return [`${mark} ${name} ${paint.dim(`${fit(objective, left)}  ${doing}`)}`]
  return [`${mark} ${name} ${paint.dim(fit(objective, room))}`, ...below]
}

/** The first of some lines, so many; that some are left out is marked. */
export const atMost = (most: number, lines: readonly string[]): string[] =>
  lines.length <= most ? [...lines] : [...lines.slice(0, most - 1), `${lines[most - 1]}…`]

const AT_WORK: ReadonlySet<StepView['status']> = new Set(['running', 'waiting'])

/** What a step does at this moment; empty where it does nothing. */
function activityOf(view: RunView, { id }: StepView, io: Io): string {
  const isAtWork = (call: { stepId?: string | undefined; status: string }): boolean =>
    call.stepId === id && (call.status === 'running' || call.status === 'requested')
  const tool = view.toolCalls.findLast(isAtWork)
  if (tool !== undefined) return describeCall(tool, io)
  const call = view.modelCalls.findLast(isAtWork)
  return call === undefined ? '' : call.text === '' ? 'thinking' : 'writing'
}

/** The end of what an agent of a team is writing, in at most `room` lines. */
export function linesWritten(view: RunView, { paint, redact }: Io, columns: number, room: number): string[] {
  const call = view.modelCalls.findLast(
    ({ status, stepId, text }) => status === 'running' && stepId !== undefined && text !== '',
  )
  if (call === undefined || room <= 0) return []
  const width = Math.max(2, columns - 5)
  const end = toSafe(redact(call.text))
    .slice(-2 * width * MOST_WRITTEN)
    .trimEnd()
  const lines = toLines(end, width).slice(-Math.min(room, MOST_WRITTEN))
  return lines.map((line) => `  ${paint.dim('│')} ${line}`)
}
